"""The warning of a fit whose nodes stop far from their optimum."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from labeltree.training.fit import FitSettings, Fitted

#: Share of the (row, node) pairs, in nodes that did not converge, up to which a fit is silent.
MAX_FAR_SHARE = 0.1
_FIT_CALLER = 5  # frames from here to the caller of fit


def warn_if_far(fitted: Fitted, settings: FitSettings) -> None:
    """Issue a ConvergenceWarning if many rows were in nodes that are far from their optimum.

    If `fit` itself chose C, the number of passes and the scaling of rows, there is nothing to fix:
    nodes that stop early are part of that choice.
    """
    if settings.auto_c and settings.auto_iter and settings.normalize:
        return
    share = fitted.counts.n_far_pairs / max(fitted.training_cost, 1)
    if share > MAX_FAR_SHARE:
        warnings.warn(
            f"nodes with {share:.0%} of the (row, node) pairs did not converge within max_iter = "
            f"{fitted.counts.n_iter} passes, so predictions may be poor; raise max_iter, lower C, "
            "or scale the rows of X (normalize=True)",
            ConvergenceWarning,
            stacklevel=_FIT_CALLER,
        )
