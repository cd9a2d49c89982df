"""Probabilities that mean what they say, and label sets made of them, learned from held-out rows.

`isotonic` and `methods` learn maps from scores to probabilities, `thresholds` and `expected_f1`
turn probabilities into label sets. Estimators have them as `calibrate` and `tune_thresholds`.
"""
