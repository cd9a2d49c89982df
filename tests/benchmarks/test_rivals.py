"""The harness that compares systems, on a few rows and with labeltree only."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from benchmarks.rivals import environments
from benchmarks.rivals.__main__ import main, update_leads
from benchmarks.rivals.adapters import labeltree as labeltree_adapter
from benchmarks.rivals.adapters import one_vs_rest
from benchmarks.rivals.adapters.matrices import (
    as_pairs,
    from_all_scores,
    from_pairs,
    from_scores,
    one_by_one,
)
from benchmarks.rivals.environments import tail
from benchmarks.rivals.figures import COST, QUALITY
from benchmarks.rivals.measure import BadRankingError, measure, quality, remove_models
from benchmarks.rivals.paired import KeptHits
from benchmarks.rivals.prepare import Prepared, prepare
from benchmarks.rivals.systems import RIVALS, System, chosen
from benchmarks.rivals.tables import rivals_table
from labeltree.data import read_npz, read_xmc, write_npz

N_LABELS = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows whose features are their labels, 3 times as long; the last test row has no label."""
    folder = tmp_path_factory.mktemp("tiny")
    random = np.random.default_rng(0)
    for part, n_rows in (("trn", 200), ("tst", 30)):
        Y = np.zeros((n_rows, N_LABELS), np.uint8)
        Y[np.arange(n_rows), random.integers(0, N_LABELS, n_rows)] = 1
        X = 3 * Y.astype(np.float32)
        if part == "tst":
            Y[-1] = 0
        write_npz(folder / f"X.{part}.npz", sparse.csr_array(X))
        write_npz(folder / f"Y.{part}.npz", sparse.csr_array(Y))
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def data(folder: Path, cache: Path) -> Prepared:
    return prepare(str(folder), cache, None)


def no_package(command: list[str]) -> None:
    """What stands for every call of pip: it fails, and the network is not asked."""
    raise environments.NotInstalledError("no such package")


@pytest.fixture(scope="module")
def output(folder: Path, cache: Path) -> Path:
    """What the command writes for a system of labeltree and one that does not install."""
    path = cache / "results" / "rivals-tiny.json"
    options = ["--cache", str(cache), "--output", str(path), "--data", str(folder)]
    quick = ["--repeats", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environments, "_call", no_package)
        main([*options, *quick, "--systems", "LibMultiLabel tree", "labeltree, cheapest tree"])
    return path


@pytest.fixture(scope="module")
def figures(output: Path) -> dict[str, Any]:
    """The figures of labeltree."""
    found: dict[str, Any] = json.loads(output.read_text())["sets"][0]["systems"][0]
    return found


def test_features_are_rows_of_length_one(data: Prepared) -> None:
    norms = sparse.linalg.norm(read_npz(data.test_features), axis=1)
    np.testing.assert_allclose(norms, 1, rtol=1e-6)


def test_test_rows_without_labels_are_left_out(data: Prepared) -> None:
    assert data.facts()["n_test_rows"] == 29


def test_test_rows_are_as_many_as_asked_for(folder: Path, cache: Path) -> None:
    assert prepare(str(folder), cache, 7).facts()["n_test_rows"] == 7


def test_the_text_file_holds_the_same_rows(data: Prepared) -> None:
    files = data.files("xmc")
    X, Y = read_xmc(files["text"])
    assert (read_npz(files["X"]) != X).nnz == 0
    assert Y.indices.tolist() == data.labels("trn").indices.tolist()


def test_words_are_the_features_without_their_values(data: Prepared) -> None:
    lines = Path(data.files("words")["text"]).read_text().splitlines()
    labels = data.labels("trn").indices
    assert sorted(lines) == sorted(f"__label__{label} f{label}" for label in labels)


def test_labels_that_are_features_are_found(figures: dict[str, Any]) -> None:
    assert figures["status"] == "ok"
    assert figures["P@1"] == figures["PSP@1"] == 100


def test_every_figure_is_there(figures: dict[str, Any]) -> None:
    measured = {measure.key for measure in (*COST, *QUALITY)}
    kept = {
        "train_wall_s",
        "batch_rows_per_s",
        "batch_times",
        "resident_mb",
        "version",
        "machine",
        "load_after",
    }
    assert measured | kept <= set(figures)


def test_a_rival_that_does_not_install_is_recorded_and_the_rest_goes_on(output: Path) -> None:
    systems = json.loads(output.read_text())["sets"][0]["systems"]
    assert [system["status"] for system in systems] == ["ok", "not installed"]
    assert systems[1]["error"] == "no such package"


@pytest.mark.parametrize("adapter", [labeltree_adapter, one_vs_rest])
def test_one_row_is_predicted_as_in_a_batch(adapter: Any, data: Prepared, tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    adapter.train(adapter.read(data.files(None)), path, 1)
    model = adapter.load(path, 1)
    X = sparse.csr_matrix(read_npz(data.test_features))
    labels, scores = adapter.ranking(adapter.predict(model, adapter.prepare(X), 1), 1)
    queries = one_by_one(adapter.query)(X)
    alone = [adapter.predict_one(model, query, 1)[0][0] for query in queries]
    assert [np.ravel(label).tolist() for label in alone] == labels.tolist()
    assert scores.shape == (29, 1)


def test_results_name_no_folder_of_this_machine(output: Path, folder: Path) -> None:
    text = output.read_text()
    assert str(folder.parent) not in text
    assert json.loads(text)["sets"][0]["data"] == folder.name


def test_the_table_has_a_line_for_each_system_with_figures(output: Path) -> None:
    (run,) = json.loads(output.read_text())["sets"]
    run["systems"][0]["system"] = "labeltree"
    run["systems"][1] |= {"status": "timed out", "error": "more than 900 s, in train"}
    lines = rivals_table(run).splitlines()
    assert sum(line.startswith("| labeltree") for line in lines) == 1
    assert "LibMultiLabel tree (timed out: more than 900 s, in train)" in lines[-1]


def test_a_crash_is_recorded_with_what_was_said_last(data: Prepared, cache: Path) -> None:
    system = System("broken", "labeltree", {"C": -1})
    figures = measure(system, data, threads=1, timeout_s=600, cache=cache)
    assert figures["status"] == "failed"
    assert figures["error"].endswith("C must be above 0, but is -1")


def test_a_time_out_is_recorded_with_its_phase(data: Prepared, cache: Path) -> None:
    system = System("slow", "labeltree")
    figures = measure(system, data, threads=1, timeout_s=0.01, cache=cache)
    assert figures["status"] == "timed out"
    assert figures["error"] == "more than 0.01 s, in train"


def test_pip_that_fails_says_what_it_printed_last() -> None:
    with pytest.raises(environments.NotInstalledError, match="no such package"):
        environments._call([sys.executable, "-c", "raise SystemExit('no such package')"])


def test_a_system_for_one_label_is_not_run_on_several(tmp_path: Path) -> None:
    two = sparse.csr_array(np.ones((3, 2), np.float32))
    for name in ("X.trn", "Y.trn", "X.tst", "Y.tst"):
        write_npz(tmp_path / f"{name}.npz", two)
    data = prepare(str(tmp_path), tmp_path / "cache", None)
    system = System("one", "fasttext", one_label=True)
    figures = measure(system, data, threads=1, timeout_s=600, cache=tmp_path)
    assert figures["status"] == "not run"


def test_labels_that_do_not_exist_are_not_a_ranking(data: Prepared) -> None:
    test = data.labels("tst")
    ranked = np.tile(np.arange(5) + N_LABELS, (test.n_rows, 1))
    with pytest.raises(BadRankingError, match="must be 0"):
        quality(data.labels("trn"), test, ranked)


def test_output_is_shown_without_where_files_are() -> None:
    assert tail("a\nsee https://x.org/y\n  in /home/me/run.py, line 3") == (
        "a\nsee …\n  in run.py, line 3"
    )


def test_systems_are_chosen_by_name_or_package() -> None:
    assert [s.name for s in chosen(["pecos", "labeltree"])][-1] == "PECOS XR-Linear"
    with pytest.raises(ValueError, match="but one is 'omikuij'"):
        chosen(["omikuij"])


def test_rankings_are_padded_with_minus_one() -> None:
    labels, scores = from_pairs([[(3, 0.5)], [(1, 0.9), (2, 0.8), (0, 0.1)]], 2)
    assert labels.tolist() == [[3, -1], [1, 2]]
    assert scores[0].tolist() == [0.5, 0]


def test_sparse_scores_are_ranked_best_first() -> None:
    labels, _ = from_scores(sparse.csr_matrix([[0, 0.2, 0.9, 0.5], [0.1, 0, 0, 0]]), 2)
    assert labels.tolist() == [[2, 3], [0, -1]]


def test_scores_of_all_labels_are_ranked_best_first() -> None:
    labels, scores = from_all_scores(np.array([[0.1, 0.9, 0.5], [3.0, 1.0, 2.0]]), 2)
    assert labels.tolist() == [[1, 2], [0, 2]]
    assert scores[1].tolist() == [3, 2]


def test_scores_above_one_are_no_probabilities(data: Prepared) -> None:
    test = data.labels("tst")
    ranked = np.tile(np.arange(5), (test.n_rows, 1))
    with pytest.raises(BadRankingError, match="between 0 and 1"):
        quality(data.labels("trn"), test, ranked, np.full(ranked.shape, 1.5))


def test_a_training_finds_nothing_of_the_one_before(tmp_path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "tree0.cbor").touch()
    for name in ("model.cache", "compiled", "ranked.npz"):
        (tmp_path / name).touch()
    remove_models({name: str(tmp_path / name) for name in ("model", "compiled", "ranked")})
    assert [path.name for path in tmp_path.iterdir()] == ["ranked.npz"]


def test_queries_are_lists_of_pairs_before_the_clock_starts() -> None:
    X = sparse.csr_matrix(np.array([[0, 0.5], [0.25, 0]], np.float32))
    assert one_by_one(as_pairs)(X) == [[(1, 0.5)], [(0, 0.25)]]


def test_a_system_without_a_seed_is_evaluated_after_each_training(
    data: Prepared, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([{"P@1": 80.0}, {"P@1": 82.0}, {"P@1": 81.0}])
    monkeypatch.setitem(RIVALS, "labeltree", replace(RIVALS["labeltree"], seed=None))
    monkeypatch.setattr("benchmarks.rivals.measure.evaluated", lambda *_: next(found))
    system = System("labeltree", "labeltree", {"tree": "cheapest"})
    figures = measure(system, data, threads=1, timeout_s=600, cache=cache, repeats=3)
    assert figures["P@1"] == 81
    assert figures["P@1_spread"] == [80, 82]


def test_the_lead_over_a_system_does_not_depend_on_which_ran_first(tmp_path) -> None:
    right, wrong = np.ones((4, 5), bool), np.zeros((4, 5), bool)
    for order in (("labeltree", "other"), ("other", "labeltree")):
        kept = KeptHits(tmp_path / order[0])
        for system in order:
            kept.add(system, right if system == "labeltree" else wrong)
        assert kept.leads("labeltree", "other")["P@1_lead"] == 100.0


def test_the_lead_is_the_mean_over_the_trainings_of_a_system(tmp_path) -> None:
    kept = KeptHits(tmp_path)
    kept.add("labeltree", np.ones((4, 5), bool))
    kept.add("omikuji, 1 tree", np.ones((4, 5), bool))
    kept.add("omikuji, 1 tree", np.zeros((4, 5), bool))
    assert kept.leads("labeltree", "omikuji, 1 tree")["P@5_lead"] == 50.0


def test_a_lead_of_an_older_labeltree_is_removed(tmp_path) -> None:
    kept = KeptHits(tmp_path / "hits")
    run = {"systems": [{"system": "labeltree"}, {"system": "other", "P@1_lead": 9.0}]}
    update_leads(run, kept)
    assert run["systems"][1] == {"system": "other", "P@1_lead": 9.0}
    kept.add("labeltree", np.ones((4, 5), bool))
    update_leads(run, kept)
    assert run["systems"][1] == {"system": "other"}


def test_a_system_measured_again_has_only_its_new_hits(tmp_path) -> None:
    kept = KeptHits(tmp_path)
    kept.add("labeltree", np.ones((4, 5), bool))
    kept.add("other", np.zeros((4, 5), bool))
    kept.clear("other")
    assert kept.leads("labeltree", "other") == {}
