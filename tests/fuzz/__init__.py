"""Fuzzers: mutated model files, mutated data files, and odd arguments.

`python -m tests.fuzz model|readers|inputs --minutes 10 --jobs 2` runs one of them. Each case is
derived from a seed and its number, so `--replay NUMBER` repeats it.
"""
