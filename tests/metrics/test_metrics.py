import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import metrics
from labeltree.data import as_labels
from tests.reference import metrics as reference
from tests.strategies import row_lists

fast = settings(max_examples=40, deadline=None)

# Three rows worked out by hand: row 0 has labels 0 and 2, row 1 has label 1, row 2 has none.
TRUTH = as_labels([[0, 2], [1], []], n_labels=4)
RANKED = np.array([[2, 3, 0], [0, 1, -1], [1, 2, 3]])

# Six labels; scores are quarters, so that ties are frequent.
N_LABELS = 6
score_rows = st.dictionaries(
    st.integers(0, N_LABELS - 1), st.integers(0, 4).map(lambda q: q / 4), max_size=N_LABELS
)


@st.composite
def scored_rows(draw: st.DrawFn) -> tuple[list[set[int]], list[dict[int, float]]]:
    truth = draw(row_lists(N_LABELS, max_rows=6))
    scores = draw(st.lists(score_rows, min_size=len(truth), max_size=len(truth)))
    return truth, scores


def csr(scores: list[dict[int, float]]) -> sparse.csr_array:
    """Return scores including stored zeros, with labels in the order of the dictionary."""
    indptr = np.cumsum([0, *map(len, scores)])
    labels = np.array([j for row in scores for j in row], dtype=np.int32)
    values = np.array([value for row in scores for value in row.values()])
    return sparse.csr_array((values, labels, indptr), shape=(len(scores), N_LABELS))


def ranking(scores: list[dict[int, float]]) -> list[list[int]]:
    return [reference.best_labels(row, N_LABELS) for row in scores]


def test_precision_of_the_worked_rows() -> None:
    assert metrics.precision_at_k(TRUTH, RANKED, 1) == pytest.approx(1 / 3)
    assert metrics.precision_at_k(TRUTH, RANKED, 3) == pytest.approx((2 / 3 + 1 / 3) / 3)


def test_recall_of_the_worked_rows() -> None:
    assert metrics.recall_at_k(TRUTH, RANKED, 1) == pytest.approx(0.5 / 3)
    assert metrics.recall_at_k(TRUTH, RANKED, 2) == pytest.approx(1.5 / 3)


def test_ndcg_of_the_worked_rows() -> None:
    second, third = 1 / math.log2(3), 1 / math.log2(4)
    expected = ((1 + third) / (1 + second) + second) / 3
    assert metrics.ndcg_at_k(TRUTH, RANKED, 3) == pytest.approx(expected)


def test_coverage_of_the_worked_rows() -> None:
    assert metrics.coverage_at_k(TRUTH, RANKED, 1) == 1 / 4
    assert metrics.coverage_at_k(TRUTH, RANKED, 3) == 3 / 4


def test_perfect_predictions_score_one() -> None:
    truth = as_labels([[0, 1], [2, 3]], n_labels=4)
    propensity = [0.1, 0.2, 0.3, 0.4]
    result = metrics.evaluate(truth, [[0, 1], [2, 3]], ks=(1, 2), propensity=propensity)
    assert result.keys() == {
        f"{name}@{k}" for name in ("P", "R", "nDCG", "coverage", "PSP", "PSnDCG") for k in (1, 2)
    }
    expected_below_one = {"R@1": 0.5, "coverage@1": 0.5}
    for name, value in result.items():
        assert value == pytest.approx(expected_below_one.get(name, 1.0)), name


def test_psp_is_one_only_if_the_rarest_labels_come_first() -> None:
    truth = as_labels([{0, 1}], n_labels=2)
    assert metrics.psp_at_k(truth, [[0, 1]], 1, [0.5, 0.25]) == pytest.approx(0.5)
    assert metrics.psp_at_k(truth, [[1, 0]], 1, [0.5, 0.25]) == 1.0


def test_psp_with_equal_propensities_is_the_precision_relative_to_the_best() -> None:
    psp = metrics.psp_at_k(TRUTH, RANKED, 3, [0.5] * 4)
    assert psp == pytest.approx((2 + 1) / (2 + 1))


def test_psp_without_any_true_label_is_zero() -> None:
    truth = as_labels([[]], n_labels=2)
    assert metrics.psp_at_k(truth, [[0]], 1, [0.5, 0.5]) == 0.0


def test_propensities_follow_the_formula_of_jain() -> None:
    # N = e^2 rows would make C = 2.5^0.55; with 100 rows C = (ln 100 - 1)·2.5^0.55.
    scale = (math.log(100) - 1) * 2.5**0.55
    assert metrics.propensities(counts=[7], n_rows=100) == pytest.approx(
        1 / (1 + scale * 8.5**-0.55)
    )


def test_propensities_of_labels_equal_those_of_their_counts() -> None:
    by_labels = metrics.propensities(TRUTH, a=0.6, b=2.6)
    by_counts = metrics.propensities(counts=[1, 1, 1, 0], n_rows=3, a=0.6, b=2.6)
    assert by_labels.tolist() == by_counts.tolist()


def test_propensities_are_probabilities_that_increase_with_counts() -> None:
    values = metrics.propensities(counts=np.arange(1000), n_rows=1000)
    assert (np.diff(values) > 0).all()
    assert 0 < values[0] < values[-1] < 1


@fast
@given(scored_rows(), st.integers(1, N_LABELS))
def test_metrics_at_k_equal_the_reference(
    case: tuple[list[set[int]], list[dict[int, float]]], k: int
) -> None:
    rows, scores = case
    truth, ranked = as_labels(rows, n_labels=N_LABELS), ranking(scores)
    propensity = [0.1, 0.2, 0.4, 0.5, 0.8, 1.0]
    result = metrics.evaluate(truth, csr(scores), ks=(k,), propensity=propensity)
    assert result == pytest.approx(
        {
            f"P@{k}": reference.precision_at_k(rows, ranked, k),
            f"R@{k}": reference.recall_at_k(rows, ranked, k),
            f"nDCG@{k}": reference.psndcg_at_k(rows, ranked, k),
            f"coverage@{k}": reference.coverage_at_k(rows, ranked, k, N_LABELS),
            f"PSP@{k}": reference.psp_at_k(rows, ranked, k, propensity),
            f"PSnDCG@{k}": reference.psndcg_at_k(rows, ranked, k, propensity),
        }
    )


@fast
@given(scored_rows(), st.integers(1, N_LABELS))
def test_ranked_labels_and_csr_scores_give_the_same_metrics(
    case: tuple[list[set[int]], list[dict[int, float]]], k: int
) -> None:
    rows, scores = case
    truth, matrix = as_labels(rows, n_labels=N_LABELS), csr(scores)
    ranked = metrics.top_labels(matrix, k)
    values = [[row.get(j, 0.0) for j in labels] for row, labels in zip(scores, ranked, strict=True)]
    by_rank = metrics.evaluate(truth, ranked, ks=(k,), probabilities=values)
    by_score = metrics.evaluate(truth, matrix, ks=(k,), probabilities=True)
    del by_score["log_loss"]
    assert by_rank == pytest.approx(by_score)


@fast
@given(scored_rows())
def test_top_labels_break_ties_in_favor_of_the_lower_label(
    case: tuple[list[set[int]], list[dict[int, float]]],
) -> None:
    _, scores = case
    padded = [row + [-1] * (N_LABELS - len(row)) for row in ranking(scores)]
    assert metrics.top_labels(csr(scores), N_LABELS).tolist() == padded


@fast
@given(scored_rows(), st.integers(1, N_LABELS))
def test_brier_score_and_log_loss_at_k_equal_the_reference(
    case: tuple[list[set[int]], list[dict[int, float]]], k: int
) -> None:
    rows, scores = case
    given_rows = as_labels(rows, n_labels=N_LABELS), csr(scores), k
    score, loss = metrics.brier_at_k(*given_rows), metrics.log_loss_at_k(*given_rows, eps=1e-6)
    assert score == pytest.approx(reference.brier_at_k(rows, scores, k))
    assert loss == pytest.approx(reference.log_loss_at_k(rows, scores, k, 1e-6))


@fast
@given(scored_rows(), st.integers(1, N_LABELS), st.integers(1, 7))
def test_ece_equals_the_reference(
    case: tuple[list[set[int]], list[dict[int, float]]], k: int, n_bins: int
) -> None:
    rows, scores = case
    error = metrics.ece_at_k(as_labels(rows, n_labels=N_LABELS), csr(scores), k, n_bins=n_bins)
    assert error == pytest.approx(reference.ece_at_k(rows, scores, k, n_bins))


@fast
@given(scored_rows(), st.sampled_from([1e-15, 1e-6, 0.1]))
def test_log_loss_equals_the_reference(
    case: tuple[list[set[int]], list[dict[int, float]]], eps: float
) -> None:
    rows, scores = case
    loss = metrics.log_loss(as_labels(rows, n_labels=N_LABELS), csr(scores), eps=eps)
    assert loss == pytest.approx(reference.log_loss(rows, scores, N_LABELS, eps))


@fast
@given(scored_rows())
def test_log_loss_equals_sklearn_on_flattened_cells(
    case: tuple[list[set[int]], list[dict[int, float]]],
) -> None:
    rows, scores = case
    truth, matrix = as_labels(rows, n_labels=N_LABELS), csr(scores)
    expected = sklearn.metrics.log_loss(
        truth.to_csr().toarray().ravel(), matrix.toarray().ravel(), labels=[0, 1]
    )
    loss = metrics.log_loss(truth, matrix, eps=np.finfo(np.float64).eps)
    assert loss == pytest.approx(expected)


@fast
@given(row_lists(4, min_rows=5, max_rows=5), row_lists(4, min_rows=5, max_rows=5))
def test_f1_equals_sklearn(rows: list[set[int]], guesses: list[set[int]]) -> None:
    truth, predicted = as_labels(rows, n_labels=4), as_labels(guesses, n_labels=4)
    dense = [labels.to_csr().toarray() for labels in (truth, predicted)]
    for average, ours in (("micro", metrics.micro_f1), ("macro", metrics.macro_f1)):
        expected = sklearn.metrics.f1_score(*dense, average=average, zero_division=0)
        assert ours(truth, predicted) == pytest.approx(expected)


def test_f1_of_classes_by_name_equals_sklearn() -> None:
    truth, predicted = ["cat", "dog", "dog"], ["dog", "dog", "fish"]
    expected = sklearn.metrics.f1_score(truth, predicted, average="macro", zero_division=0)
    assert metrics.macro_f1(truth, predicted) == pytest.approx(expected)


def test_f1_accepts_label_numbers_with_an_indicator() -> None:
    indicator = sparse.csr_array([[1, 0, 0], [0, 0, 1]])
    assert metrics.micro_f1([[0], [2]], indicator) == 1.0
    assert metrics.micro_f1(indicator, [[0], [2]]) == 1.0


def test_calibrated_probabilities_have_no_calibration_error() -> None:
    truth = as_labels([[0], [0], [0], [1]], n_labels=2)
    assert metrics.ece_at_k(truth, [[0]] * 4, 1, [[0.75]] * 4) == pytest.approx(0.0)


def test_probability_one_falls_into_the_last_bin() -> None:
    error = metrics.ece_at_k([[0], [1]], [[1], [1]], 1, [[1.0], [0.9]])
    assert error == pytest.approx(((1.0 - 0) + (0.9 - 1)) / 2)


def test_evaluate_adds_f1_of_predicted_sets() -> None:
    result = metrics.evaluate(TRUTH, RANKED, ks=(1,), predicted=[[0, 2], [], [1]])
    assert result["micro_F1"] == pytest.approx(4 / 6)
    assert result["macro_F1"] == pytest.approx(2 / 4)


def test_integers_in_lists_are_label_numbers() -> None:
    assert metrics.precision_at_k([[7], [3]], [[7], [7]], 1) == 0.5


def test_unsigned_scores_are_ranked_as_numbers() -> None:
    scores = sparse.csr_array(np.array([[1, 3, 2]], dtype=np.uint8))
    assert metrics.top_labels(scores, 3).tolist() == [[1, 2, 0]]


def test_rows_of_any_length_are_ranked() -> None:
    scores = np.triu(np.arange(1.0, 41.0) * np.ones((40, 1)))
    expected = [[39 - c if 39 - c >= r else -1 for c in range(40)] for r in range(40)]
    assert metrics.top_labels(sparse.csr_array(scores), 40).tolist() == expected


@pytest.mark.parametrize(
    ("ranked", "k", "message"),
    [
        (RANKED, 0, "k must be at least 1, but is 0"),
        (RANKED, 4, "k must be at most the 3 columns of ranked, but is 4"),
        (RANKED[:2], 1, "Y_true has 3 rows, but ranked has 2"),
        (RANKED[0], 1, r"ranked must have shape \(n_rows, k\), but its shape is \(3,\)"),
        (RANKED + 1, 3, "ranked labels must be 0..3, or -1 for none, but row 0 has 4"),
        (RANKED - 1, 3, "ranked labels must be 0..3, or -1 for none, but row 1 has -2"),
        ([[1, 1], [2, 3], [0, 1]], 2, "a row must rank a label once, but row 0 has label 1 twice"),
        (sparse.csr_array((3, 4)), 5, "k must be at most the 4 columns of the scores, but is 5"),
        (sparse.csr_array((2, 4)), 1, "Y_true has 3 rows, but the scores have 2"),
        (sparse.csr_array((3, 5)), 1, "Y has 4 labels, but 5 are expected"),
        (sparse.csr_array([[np.nan, 0, 0, 0]] * 3), 1, "scores must be numbers, but some are NaN"),
        (sparse.csr_array([[1j, 0, 0, 0]] * 3), 1, "scores must be real numbers, but are complex"),
    ],
)
def test_invalid_rankings_are_refused(ranked: object, k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metrics.precision_at_k(TRUTH, ranked, k)


def test_padding_may_repeat() -> None:
    assert metrics.precision_at_k([[0]], [[0, -1, -1]], 3) == pytest.approx(1 / 3)


def test_scores_may_be_a_dense_array() -> None:
    scores = np.random.default_rng(0).random((3, 4))
    for metric in (metrics.precision_at_k, metrics.ece_at_k):
        assert metric(TRUTH, scores, 2) == metric(TRUTH, sparse.csr_array(scores), 2)
    assert metrics.log_loss(TRUTH, scores) == metrics.log_loss(TRUTH, sparse.csr_array(scores))


def test_a_k_that_is_not_an_integer_is_refused() -> None:
    with pytest.raises(TypeError, match=r"k must be an integer, but is 1\.0"):
        metrics.precision_at_k(TRUTH, RANKED, 1.0)


def test_names_are_refused_if_ranked_holds_label_numbers() -> None:
    with pytest.raises(ValueError, match="Y_true has labels by name"):
        metrics.precision_at_k([["cat"], ["dog"]], [[0], [1]], 1)


def test_zero_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        metrics.precision_at_k(as_labels([], n_labels=2), np.zeros((0, 2), dtype=int), 1)


@pytest.mark.parametrize(
    ("propensity", "message"),
    [
        ([0.5], r"there are 4 labels and the shape of propensity is \(1,\)"),
        ([0.5, 0.5, 0.0, 0.5], "the smallest is 0 "),
        ([0.5, 0.5, 2.0, 0.5], "the largest 2"),
    ],
)
def test_invalid_propensities_are_refused(propensity: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metrics.psp_at_k(TRUTH, RANKED, 1, propensity)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pass either Y_train, or counts and n_rows"),
        ({"counts": [1]}, "counts need n_rows"),
        ({"counts": [1], "n_rows": 2}, "at least 3 training rows, but n_rows is 2"),
        ({"counts": [5], "n_rows": 4}, "counts must hold one number in 0..4 per label"),
        ({"counts": [1], "n_rows": 4, "b": 0.0}, "b above 0, but a is 0.55 and b is 0.0"),
    ],
)
def test_invalid_arguments_of_propensities_are_refused(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        metrics.propensities(**options)


def test_probabilities_above_one_are_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, but range from 0\.5 to 2"):
        metrics.ece_at_k(TRUTH, [[0], [1], [2]], 1, [[0.5], [2.0], [0.5]])


def test_calibration_without_probabilities_is_refused() -> None:
    with pytest.raises(ValueError, match="pass probabilities"):
        metrics.ece_at_k(TRUTH, RANKED, 1)
    with pytest.raises(ValueError, match="pass probabilities"):
        metrics.brier_at_k(TRUTH, RANKED, 1)


def test_probabilities_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(3, 1\) is not \(3, 3\)"):
        metrics.ece_at_k(TRUTH, RANKED, 1, [[0.5], [0.5], [0.5]])


def test_f1_of_different_numbers_of_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="Y_true has 3 rows, but Y_pred has 1"):
        metrics.micro_f1(TRUTH, [[0]])
