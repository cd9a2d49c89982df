"""Probabilities that mean what they say, and which of them are enough: learnt from rows kept back.

`curve` maps probabilities to better ones without changing their order, `isotonic` and `links` fit
such maps for labels and for nodes, `thresholds` and `expected_f1` turn probabilities into label
sets, and `methods` puts them together for a model. Estimators have them as `calibrate` and
`tune_thresholds`.
"""

from labeltree.calibration.curve import Curve
from labeltree.calibration.state import Calibration, fixed_calibration

__all__ = ["Calibration", "Curve", "fixed_calibration"]
