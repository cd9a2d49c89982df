from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_features, as_labels
from labeltree.training.feature_weighting import NO_WEIGHTING
from labeltree.training.settings_check import SmallFits, checked_settings, is_lower, sampled_runs

N_ROWS = 16_000
HARMFUL = NO_WEIGHTING._replace(value=0.05)  # hides which values are large


def rows(noise: float = 0.0, n_rows: int = N_ROWS):
    """Rows whose labels are the features with the largest two values of a dense X."""
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(size=(n_rows, 20)))
    seen = X * np.exp(noise * rng.normal(size=X.shape))
    Y = sparse.csr_array(np.sort(X, axis=1)[:, [-2]] <= X)
    return as_features(seen), as_labels(Y.astype(np.uint8))


def settings(**options):
    return PLTClassifier(n_jobs=1, **options)._settings(None)


def scaling_of(X, Y, monkeypatch: pytest.MonkeyPatch, powers, **options):
    """Return the scaling of a fit if these exponents are estimated."""
    name = "labeltree.training.feature_weighting.find_powers"
    monkeypatch.setattr(name, lambda *_: powers)
    return checked_settings(X, Y, settings(**options))[0]


def test_weighting_that_hides_large_values_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scaling_of(*rows(), monkeypatch, HARMFUL).is_plain


def test_weighting_that_changes_little_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    little = NO_WEIGHTING._replace(value=0.95)
    assert scaling_of(*rows(), monkeypatch, little).power == 0.95


def test_few_rows_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not scaling_of(*rows(n_rows=9_000), monkeypatch, HARMFUL).is_plain


def test_without_held_back_rows_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not scaling_of(*rows(), monkeypatch, HARMFUL, validation_fraction=None).is_plain


def test_given_weighting_is_kept() -> None:
    given = settings(feature_weighting=tuple(HARMFUL))
    assert checked_settings(*rows(), given)[0].power == HARMFUL.value


def test_the_first_of_named_trees_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"tree": ["random", "kmeans"], "tree_params": [{"arity": 4}, None]}
    assert scaling_of(*rows(), monkeypatch, HARMFUL, **named).is_plain


def test_given_trees_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = rows()
    trees = PLTClassifier(n_jobs=1, tree="random", n_trees=2, C=1.0).fit(X, Y).trees_
    assert scaling_of(X, Y, monkeypatch, HARMFUL, tree=list(trees)).is_plain


LITTLE = (0.01, 0.01)  # factors of C in all nodes, far below what suits these rows


def C_of(rows, **options):
    X, Y = rows
    return checked_settings(X, Y, settings(feature_weighting=None, **options))[1].solver.C


def have_losses(monkeypatch: pytest.MonkeyPatch, by_C: dict[float, float]) -> None:
    def log_losses(self, scaling, solver):
        return np.full(100, by_C[solver.C])

    monkeypatch.setattr(SmallFits, "log_losses", log_losses)


def test_C_is_doubled_if_it_is_too_small() -> None:
    assert C_of(rows(), pos_neg_weight=LITTLE) == 2


def test_C_stays_without_a_clear_gain() -> None:
    assert C_of(rows(noise=0.5)) == 1


@pytest.mark.parametrize(
    ("halved", "doubled", "C"),
    [(0.996, 1.01, 0.5), (0.998, 1.01, 1), (1.01, 0.996, 1), (1.01, 0.985, 2)],
)
def test_a_larger_C_needs_a_larger_gain(
    monkeypatch: pytest.MonkeyPatch, halved: float, doubled: float, C: float
) -> None:
    have_losses(monkeypatch, {0.5: halved, 1: 1.0, 2: doubled})
    assert C_of(rows()) == C


def test_the_choice_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="labeltree"):
        C_of(rows(), pos_neg_weight=LITTLE)
    assert "small fits: C = 2, " in caplog.text


def test_given_C_is_kept() -> None:
    assert C_of(rows(), C=1.0, pos_neg_weight=LITTLE) == 1


def test_given_C_decay_stays_as_C_changes() -> None:
    given = settings(C_decay=(0.1, 0.1), pos_neg_weight=LITTLE)
    solver = checked_settings(*rows(), given)[1].solver
    assert (solver.C, solver.C_decay) == (2, (0.1, 0.1))


def test_rows_as_they_are_have_a_C_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    have_losses(monkeypatch, {0.5: 0.9, 1: 1.0, 2: 1.1})
    given = settings(normalize=False)
    scaling, found = checked_settings(*rows(), given)
    assert not scaling.unit
    assert found.solver.C == 0.5


def test_choices_do_not_depend_on_the_number_of_threads() -> None:
    X, Y = rows(noise=0.3)
    one, two = settings(), replace(settings(), n_jobs=2)
    losses = []
    for each in (one, two):
        scaling, _ = checked_settings(X, Y, each)
        fits = SmallFits.drawn(X, Y, scaling, each, None)
        assert fits is not None
        losses.append(fits.log_losses(scaling, each.solver))
    np.testing.assert_array_equal(*losses)


def test_rows_without_weight_are_not_drawn() -> None:
    X, Y = rows()
    weight = np.ones(N_ROWS, np.float32)
    weight[: N_ROWS // 2] = 0
    assert SmallFits.drawn(X, Y, checked_settings(X, Y, settings())[0], settings(), weight) is None


def test_rows_that_are_never_held_back_are_not_drawn() -> None:
    X, Y = rows()
    given = replace(settings(), n_unheld=N_ROWS // 2)
    assert SmallFits.drawn(X, Y, checked_settings(X, Y, settings())[0], given, None) is None


def test_noise_is_not_a_lower_loss() -> None:
    rng = np.random.default_rng(0)
    losses = rng.random(1000)
    assert not is_lower(losses + 0.2 * rng.normal(size=1000), losses)


def test_sampled_packs_have_about_a_quarter_of_the_cost() -> None:
    costs = np.sort(np.random.default_rng(0).pareto(1.5, 2000))[::-1]
    share = sum(costs[first:last].sum() for first, last in sampled_runs(costs)) / costs.sum()
    assert share == pytest.approx(1 / 4, abs=0.05)


def test_the_most_expensive_pack_is_always_sampled() -> None:
    assert sampled_runs(np.array([10.0, 1.0]))[0][0] == 0
