"""Trees with their weights, and the mapping from scores to probabilities."""

from labeltree.model.calibration import Calibration, fixed_calibration
from labeltree.model.curve import Curve
from labeltree.model.links import LINKS
from labeltree.model.model import Model

__all__ = ["LINKS", "Calibration", "Curve", "Model", "fixed_calibration"]
