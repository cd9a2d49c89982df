"""Settings of the native code: every field is passed by name, every choice is an enum value."""

import pytest

from labeltree import _core

TRAIN = {
    "loss": _core.Loss.logistic,
    "intercept_scaling": 1.0,
    "tol": 0.1,
    "max_iter": 8,
    "mean_iter": 2,
    "joint_iter": 3,
    "weight_threshold": 0.1,
    "pair_threshold": 0.2,
    "n_pairs": 0,
    "max_nonzeros": 0,
    "seed": 0,
    "slice_entries": 0.0,
    "slice_rows": 25.0,
    "slice_positive": 1000,
}
ONLINE = {
    "optimizer": _core.Optimizer.adagrad,
    "learning_rate": 1.0,
    "smoothing": 0.01,
    "l1": 0.0,
    "l2": 0.0,
    "intercept_scaling": 1.0,
    "min_gradient": 0.0,
    "insert": _core.Insert.cost,
    "max_degree": 15,
}


@pytest.mark.parametrize("name", TRAIN)
def test_no_setting_of_training_has_a_default(name: str) -> None:
    with pytest.raises(TypeError):
        _core.TrainSettings(**{key: value for key, value in TRAIN.items() if key != name})


@pytest.mark.parametrize("name", ONLINE)
def test_no_setting_of_online_learning_has_a_default(name: str) -> None:
    with pytest.raises(TypeError):
        _core.OnlineSettings(**{key: value for key, value in ONLINE.items() if key != name})


@pytest.mark.parametrize("name", ["optimizer", "insert"])
def test_a_choice_of_online_learning_is_not_a_string(name: str) -> None:
    with pytest.raises(TypeError):
        _core.OnlineSettings(**ONLINE | {name: "cost"})


def test_a_loss_is_not_a_string() -> None:
    with pytest.raises(TypeError):
        _core.TrainSettings(**TRAIN | {"loss": "logistic"})
