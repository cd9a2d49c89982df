"""The warning of a fit whose nodes stop far from their optimum."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from labeltree import HSMClassifier, PLTClassifier, TextTagger, tune
from labeltree.cli import main
from labeltree.estimators import convergence


def noise(n_rows: int = 300, n_features: int = 20, n_labels: int = 10):
    rng = np.random.default_rng(0)
    return rng.random((n_rows, n_features)), rng.integers(n_labels, size=n_rows)


def test_a_large_c_warns_with_the_remedy() -> None:
    with pytest.warns(ConvergenceWarning, match="raise max_iter, lower C, or scale the rows of X"):
        PLTClassifier(C=100.0).fit(*noise())


def test_values_that_are_not_scaled_warn() -> None:
    X, y = noise()
    with pytest.warns(ConvergenceWarning, match="normalize=True"):
        HSMClassifier(normalize=False).fit(100 * X, y)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("n_labels", [2, 10, 100])
def test_the_defaults_are_silent_even_on_noise(loss: str, n_labels: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PLTClassifier(loss=loss).fit(*noise(n_labels=n_labels))


@pytest.mark.parametrize("given", [{"C": 1.0}, {"max_iter": 1}, {"normalize": False}])
def test_only_settings_that_are_given_can_warn(given, monkeypatch) -> None:
    monkeypatch.setattr(convergence, "MAX_FAR_SHARE", -1.0)  # as if no node converged
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PLTClassifier().fit(*noise())
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        PLTClassifier(**given).fit(*noise())


def test_more_passes_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PLTClassifier(C=10.0, max_iter=1000).fit(*noise())


def test_few_rows_in_nodes_that_do_not_converge_are_silent() -> None:
    X = np.eye(50, dtype=np.float32).repeat(20, axis=0)
    y = np.arange(50).repeat(20)
    X[0], y[0] = X[-1], 1  # a row whose features and class disagree
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PLTClassifier(C=50.0).fit(X, y)


@pytest.mark.parametrize("make", [lambda: PLTClassifier(C=100.0), lambda: TextTagger(C=100.0)])
def test_the_warning_names_the_line_that_calls_fit(make) -> None:
    X, y = noise()
    model = make()
    if isinstance(model, TextTagger):
        X = [" ".join(f"w{j}" for j in np.flatnonzero(row > 0.5)) for row in X]
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_warning_that_is_an_error_does_not_change_the_estimator() -> None:
    clf = PLTClassifier(C=100.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning):
            clf.fit(*noise())
    with pytest.raises(NotFittedError):
        clf.predict([[0.0] * 20])


def test_tune_is_silent_about_candidates() -> None:
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tune(X, y, n_settings=2, time=None, n_jobs=1, C=100.0)


def test_train_prints_the_warning_as_one_line(tmp_path, capsys) -> None:
    X, y = noise()
    texts = [" ".join(f"w{j}" for j in np.flatnonzero(row > 0.5)) for row in X]
    lines = (f"{label}\t{text}\n" for label, text in zip(y, texts, strict=True))
    path = tmp_path / "docs.tsv"
    path.write_text("".join(lines))
    arguments = ["train", str(path), "--tags-first", "-o", str(tmp_path / "model.lt")]
    assert main([*arguments, "--C", "100"]) == 0
    printed = capsys.readouterr().err.splitlines()
    assert [line[:22] for line in printed if "converge" in line] == ["labeltree: nodes with "]
