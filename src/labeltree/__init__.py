"""Probabilistic label trees that know and minimise what they cost."""
