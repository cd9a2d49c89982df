"""Calibrated probabilities and tuned thresholds, learned from held-out rows.

`isotonic` and `methods` learn maps from scores to probabilities; `thresholds` and `expected_f1`
turn probabilities into label sets. Estimators offer them as `calibrate` and `tune_thresholds`.
"""
