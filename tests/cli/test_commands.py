"""Help, errors, and the commands plan and tree, run in process."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labeltree import LabelTree, cli, cost, plan, trees
from labeltree.cli import main
from tests.cli.text_files import TAGGED, file_with


@pytest.fixture
def jsonl(tmp_path: Path) -> str:
    path = tmp_path / "tagged.jsonl"
    lines = [json.dumps({"text": text, "tags": tags}) for text, tags in TAGGED]
    path.write_text("\n".join(lines))
    return str(path)


# labeltree --------------------------------------------------------------------------------------


def test_version_is_printed(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("labeltree 0.")


@pytest.mark.parametrize("command", [module.__name__.split(".")[-1] for module in cli._COMMANDS])
def test_help_shows_examples(command, capsys) -> None:
    assert main([command, "--help"]) == 0
    printed = capsys.readouterr().out
    assert f"  labeltree {command}" in printed.partition("examples:\n")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["grow"], "invalid choice: 'grow'"),
        (["plan", "--budget", "fast", "x.txt"], 'a limit is a number and a unit, such as "60s"'),
        (["plan", "x.txt", "--budget", "latency=1s"], "a budget limits time, memory, model, query"),
        (["plan"], "no data is given"),
        (["plan", "x.txt", "--y", "Y.npz"], "the data must be one file, or --x and --y"),
        (["plan", "X.npz"], "npz files come in pairs"),
        (["plan", "x.txt", "--compare-tree", "mine"], "--compare-tree must be NAME=FILE"),
        (["plan", "x.txt", "-o", "tree.txt"], "a tree file ends in"),
        (["tree", "x.txt", "-o", "tree.txt"], "a tree file ends in"),
        (["tree", "x.txt", "-o", "no/tree.json"], "no/tree.json: folder no does not exist"),
        (["tree", "x.txt", "--builder", "oak"], "invalid choice: 'oak'"),
        (["tree", "x.txt", "--builder", "star", "--arity", "3"], "star does not accept --arity"),
        (["tree", "x.txt", "--arity", "many"], "invalid int value: 'many'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(arguments, message, capsys) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.err


@pytest.mark.parametrize("command", ["plan", "tree"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data.txt: line 1"),
        ("2 3 2\n0 9:1\n1 0:1\n", "data.txt: line 2"),
        ("1 3 2\n 0:1\n", "data.txt: no row has a label"),
        ("0 3 2\n", "data.txt: the data has no rows"),
    ],
)
def test_malformed_file_is_one_sentence_and_code_1(
    command, text, message, tmp_path, capsys
) -> None:
    assert main([command, file_with(tmp_path, text)]) == 1
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.startswith("labeltree: ")
    assert printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize("command", ["plan", "tree"])
def test_missing_file_is_named(command, tmp_path, capsys) -> None:
    assert main([command, str(tmp_path / "none.txt")]) == 1
    assert capsys.readouterr().err.endswith("none.txt: No such file or directory\n")


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.tsv"])
def test_empty_text_file_has_no_rows(name, tmp_path, capsys) -> None:
    assert main(["plan", file_with(tmp_path, "", name)]) == 1
    assert f"{name}: the data has no rows" in capsys.readouterr().err


def test_text_without_words_is_refused(tmp_path, capsys) -> None:
    assert main(["plan", file_with(tmp_path, "-\ta\n-\tb\n", "data.tsv")]) == 1
    assert "no text has a word" in capsys.readouterr().err


def test_verbose_raises_errors(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        main(["plan", "-v", str(tmp_path / "none.txt")])


def test_interrupt_has_its_own_code(xmc, monkeypatch, capsys) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(trees, "cheapest", interrupt)
    assert main(["tree", xmc]) == 130
    assert capsys.readouterr().err == "labeltree: interrupted\n"


# labeltree plan ---------------------------------------------------------------------------------


def test_plan_prints_the_table_of_the_library(xmc, capsys) -> None:
    assert main(["plan", xmc]) == 0
    printed = capsys.readouterr().out
    for name in ("cheapest", "kmeans+collapse", "blend", "exact"):
        assert name in printed


def test_plan_reads_npz_pairs(tmp_path, capsys) -> None:
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array(np.eye(3, dtype=np.float32)))
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array(np.eye(3, dtype=np.uint8)))
    pair = ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "Y.npz")]
    assert main(["plan", *pair]) == 0
    assert "kmeans" in capsys.readouterr().out
    assert main(["plan", *pair[2:]]) == 0
    assert "(needs features)" in capsys.readouterr().out


def test_npz_pairs_with_different_numbers_of_rows_are_refused(tmp_path, capsys) -> None:
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array(np.eye(2)))
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array(np.eye(3)))
    pair = ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "Y.npz")]
    assert main(["plan", *pair]) == 1
    assert "Y.npz has 3" in capsys.readouterr().err


def test_plan_turns_texts_into_features(jsonl, capsys) -> None:
    assert main(["plan", jsonl, "--trees", "kmeans,star"]) == 0
    assert "(needs features)" not in capsys.readouterr().out


def test_labels_only_leaves_features_out(jsonl, capsys) -> None:
    assert main(["plan", jsonl, "--labels-only"]) == 0
    assert "(needs features)" in capsys.readouterr().out


def test_a_single_label_is_refused_by_plan(tmp_path, capsys) -> None:
    assert main(["plan", file_with(tmp_path, "1 2 1\n0 0:1\n")]) == 1
    assert "at least 2 labels, but the data has 1" in capsys.readouterr().err


def test_unknown_tree_is_refused(xmc, capsys) -> None:
    assert main(["plan", xmc, "--trees", "oak"]) == 2
    assert "--trees must be among" in capsys.readouterr().err


def test_no_tree_within_the_budget_is_code_1_with_the_table(xmc, capsys) -> None:
    assert main(["plan", xmc, "--budget", "1b"]) == 1
    assert "no tree is within memory 1B" in capsys.readouterr().out


def test_plan_as_json_equals_that_of_the_library(jsonl, tmp_path, capsys) -> None:
    assert main(["plan", jsonl, "--labels-only", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    made = plan(None, [tags for _, tags in TAGGED]).to_dict()
    assert [row["cost"] for row in written["trees"]] == [row["cost"] for row in made["trees"]]
    assert written["best"] == made["best"]


def test_best_tree_is_written(xmc, tmp_path, capsys) -> None:
    assert main(["plan", xmc, "-o", str(tmp_path / "best.json")]) == 0
    assert LabelTree.load(tmp_path / "best.json").n_labels == 4


def test_your_own_tree_is_compared(jsonl, tmp_path, capsys) -> None:
    LabelTree.from_nested([["tea", "green"], "bread"]).save(tmp_path / "own.json")
    own = f"mine={tmp_path / 'own.json'}"
    assert main(["plan", jsonl, "--labels-only", "--compare-tree", own]) == 0
    assert "mine" in capsys.readouterr().out


# labeltree tree ---------------------------------------------------------------------------------


@pytest.mark.parametrize("builder", cli.tree._BUILDERS)
def test_every_builder_builds_writes_and_reports(builder, xmc, tmp_path, capsys) -> None:
    path = tmp_path / "tree.json"
    assert main(["tree", xmc, "--builder", builder, "-o", str(path)]) == 0
    tree = LabelTree.load(path)
    printed = capsys.readouterr().out
    assert printed == f"{cost.report(tree, [[0, 1], [1], [2], [3]])}\nwritten: {path}\n"


def test_options_reach_the_builder(xmc, tmp_path, capsys) -> None:
    path = tmp_path / "tree.nwk"
    assert main(["tree", xmc, "--builder", "huffman", "--arity", "2", "-o", str(path)]) == 0
    assert LabelTree.load(path).max_degree == 2


def test_collapse_and_sweeps_follow_the_builder(tmp_path, capsys) -> None:
    path = tmp_path / "tree.json"
    together = file_with(tmp_path, "2 1 4\n0,1,2,3 0:1\n0,1,2,3 0:1\n")
    arguments = ["tree", together, "--builder", "huffman", "-o", str(path)]
    for further in (["--collapse"], ["--sweeps", "1"]):
        assert main([*arguments, *further]) == 0
        assert LabelTree.load(path).depth == 1


def test_tree_keeps_the_names_of_tags(jsonl, tmp_path, capsys) -> None:
    path = tmp_path / "tree.json"
    assert main(["tree", jsonl, "--builder", "complete", "-o", str(path)]) == 0
    assert LabelTree.load(path).names == ("bread", "green", "tea")


def test_a_single_label_gives_a_tree_of_one_leaf(tmp_path, capsys) -> None:
    assert main(["tree", file_with(tmp_path, "1 2 1\n0 0:1\n")]) == 0
    assert "1 labels, 1 nodes" in capsys.readouterr().out


def test_tree_over_features_needs_them(tmp_path, capsys) -> None:
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array(np.eye(3)))
    assert main(["tree", "--y", str(tmp_path / "Y.npz"), "--builder", "kmeans"]) == 2
    assert "kmeans needs features; add --x" in capsys.readouterr().err


def test_plots_are_saved(xmc, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    assert main(["tree", xmc, "--builder", "star", "--plot", str(tmp_path / "p")]) == 0
    saved = {path.stem for path in (tmp_path / "p").iterdir()}
    assert saved == {"tree-top", "leaf-costs", "cost-against-arity"}
