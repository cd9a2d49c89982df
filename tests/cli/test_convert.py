"""Conversion of data and trees between formats."""

import struct

import numpy as np
import pytest

import labeltree as lt
from labeltree import cli, trees
from labeltree.data import (
    read_fasttext,
    read_jsonl,
    read_npz,
    read_npz_labels,
    read_xmc,
    write_fasttext,
    write_jsonl,
    write_npz,
    write_xmc,
)

XMC = "2 3 2\n0,1 0:0.5 2:1\n 1:2\n"
TEXTS = [("green tea", ["tea", "drink"]), ("rye bread", ["bread"])]


def convert(*arguments: object, code: int = 0) -> None:
    assert cli.main(["convert", *map(str, arguments)]) == code


# Features and labels ----------------------------------------------------------------------------


def test_xmc_text_survives_a_round_trip_through_npz(tmp_path, capsys) -> None:
    first, x, y, last = (tmp_path / name for name in ("a.txt", "X.npz", "Y.npz", "b.txt"))
    first.write_text(XMC)
    convert(first, "--x-out", x, "--y-out", y)
    assert "2 rows, 3 features, 2 labels" in capsys.readouterr().out
    assert read_npz(x).toarray().tolist() == [[0.5, 0, 1], [0, 2, 0]]
    assert read_npz_labels(y).counts.tolist() == [1, 1]
    convert("--x", x, "--y", y, "-o", last)
    assert last.read_text() == XMC


def test_libsvm_features_are_numbered_from_one(tmp_path) -> None:
    (tmp_path / "a.svm").write_text("0,2 1:0.5 3:1\n1 2:2\n")
    convert(tmp_path / "a.svm", "--no-header", "--one-based", "-o", tmp_path / "b.txt")
    X, Y = read_xmc(tmp_path / "b.txt")
    assert X.toarray().tolist() == [[0.5, 0, 1], [0, 2, 0]]
    assert Y.n_labels == 3


def test_a_feature_zero_is_refused_with_one_based(tmp_path, capsys) -> None:
    (tmp_path / "a.svm").write_text("0 0:1\n")
    convert(tmp_path / "a.svm", "--no-header", "--one-based", "-o", tmp_path / "b.txt", code=1)
    assert "feature 0" in capsys.readouterr().err
    assert not (tmp_path / "b.txt").exists()


def test_labels_alone_can_be_converted(tmp_path) -> None:
    write_npz(tmp_path / "Y.npz", lt.data.as_labels([{0, 1}]))
    convert("--y", tmp_path / "Y.npz", "--y-out", tmp_path / "Z.npz")
    assert read_npz_labels(tmp_path / "Z.npz").counts.tolist() == [1, 1]
    convert("--y", tmp_path / "Y.npz", "-o", tmp_path / "b.txt", code=2)


def test_features_cannot_be_converted_to_texts(tmp_path, capsys) -> None:
    write_xmc(tmp_path / "a.txt", [[1.0]], [[0]])
    convert(tmp_path / "a.txt", "-o", tmp_path / "b.jsonl", code=2)
    assert "numeric features cannot be converted to jsonl" in capsys.readouterr().err


# Texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["tsv", "ft", "jsonl", "jsonl.gz"])
def test_texts_survive_a_round_trip(suffix, tmp_path) -> None:
    first, middle, last = tmp_path / "a.jsonl", tmp_path / f"b.{suffix}", tmp_path / "c.jsonl"
    write_jsonl(first, TEXTS)
    convert(first, "-o", middle)
    convert(middle, "-o", last)
    assert list(read_jsonl(last)) == TEXTS


def test_texts_can_be_written_to_a_pipe(tmp_path, capsysbinary) -> None:
    write_jsonl(tmp_path / "a.jsonl", TEXTS)
    convert(tmp_path / "a.jsonl", "--to", "tsv", "-o", "-")
    assert capsysbinary.readouterr().out == b"green tea\ttea,drink\nrye bread\tbread\n"


def test_texts_cannot_be_converted_to_features(tmp_path, capsys) -> None:
    write_jsonl(tmp_path / "a.jsonl", TEXTS)
    convert(tmp_path / "a.jsonl", "-o", tmp_path / "b.txt", code=2)
    assert "labeltree train" in capsys.readouterr().err


def test_a_malformed_line_leaves_no_file(tmp_path, capsys) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a", "tags": []}\n{"text"\n')
    convert(tmp_path / "a.jsonl", "-o", tmp_path / "b.tsv", code=1)
    assert "line 2" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize(
    ("line", "text", "tags"),
    [
        ("__label__a __label__b two  blanks", "two  blanks", ["a", "b"]),
        ("__label__a", "", ["a"]),
        ("no tag __label__a", "no tag __label__a", []),
        ("\t__label__a tab", "tab", ["a"]),
    ],
)
def test_fasttext_lines_are_split_into_text_and_tags(line, text, tags, tmp_path) -> None:
    (tmp_path / "a.ft").write_text(f"{line}\n\n")
    assert list(read_fasttext(tmp_path / "a.ft")) == [(text, tags)]


def test_an_empty_fasttext_tag_is_refused(tmp_path) -> None:
    (tmp_path / "a.ft").write_text("__label__ tea\n")
    with pytest.raises(ValueError, match="line 1: a tag must have a name"):
        list(read_fasttext(tmp_path / "a.ft"))


def test_the_fasttext_prefix_can_be_changed(tmp_path) -> None:
    write_fasttext(tmp_path / "a.ft", [("tea", ["hot drink"])], prefix="#")
    assert (tmp_path / "a.ft").read_text() == "#hot_drink tea\n"
    assert list(read_fasttext(tmp_path / "a.ft", prefix="#")) == [("tea", ["hot_drink"])]
    with pytest.raises(ValueError, match="prefix must be"):
        list(read_fasttext(tmp_path / "a.ft", prefix=""))


def test_train_reads_fasttext_files(tmp_path) -> None:
    write_fasttext(tmp_path / "a.ft", TEXTS * 5)
    model = tmp_path / "model.lt"
    assert cli.main(["train", str(tmp_path / "a.ft"), "-o", str(model)]) == 0
    assert lt.load(model).classes_.tolist() == ["bread", "drink", "tea"]


# Trees ------------------------------------------------------------------------------------------

NESTED = [[0, 1], [2, [3, 4]]]


def test_trees_are_converted_between_formats(tmp_path) -> None:
    lt.LabelTree.from_nested(NESTED).save(tmp_path / "a.json")
    convert(tmp_path / "a.json", "-o", tmp_path / "b.nwk")
    convert(tmp_path / "b.nwk", "-o", tmp_path / "c.dot")
    assert lt.LabelTree.load(tmp_path / "c.dot").n_nodes == 9


def test_a_tree_survives_a_round_trip_through_napkinxc(tmp_path) -> None:
    tree = lt.LabelTree.from_nested(NESTED)
    tree.save(tmp_path / "a.json")
    convert(tmp_path / "a.json", "--to", "napkinxc", "-o", tmp_path / "tree.txt")
    convert(tmp_path, "-o", tmp_path / "b.json")
    assert lt.LabelTree.load(tmp_path / "b.json").to_nested() == NESTED
    convert(tmp_path / "tree.txt", "--from-tree", "napkinxc", "-o", tmp_path / "c.json")
    assert lt.LabelTree.load(tmp_path / "c.json") == tree


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no tree"),
        ("tea\n", "line 1: there must be 2 integers"),
        ("2 4\n-1 0\n0 1 0\n0 2 1\n", "there must be 4 nodes, but there are 3"),
        ("2 3\n-1 0\n0 1 0 7\n0 2 1\n", "line 3: there must be 3 integers"),
        ("2 3\n-1 0\n0 1 0\n0 1 1\n", "line 4: nodes are 0..2, each once"),
        ("2 3\n-1 0\n0 1 0\n0 9 1\n", "line 4: nodes are 0..2, each once"),
        ("2 3\n-1 0\n0 1 0\n7 2 1\n", "tree.txt: "),
        (f"2 {'5' * 3000}\n-1 0 \n0 1 1\n0 2 0\n", "must be an integer of 9965 bits nodes, but"),
    ],
)
def test_a_malformed_napkinxc_tree_is_refused(content, message, tmp_path) -> None:
    (tmp_path / "tree.txt").write_text(content)
    with pytest.raises(ValueError, match=message):
        trees.from_napkinxc(tmp_path)


def chain(folder, levels) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(f'{{"len": {len(levels)}}}')
    for i, clusters in enumerate(levels):
        write_npz(folder / f"C{i}.npz", np.eye(max(clusters) + 1, dtype=np.float32)[clusters])


def test_a_pecos_cluster_chain_is_a_tree(tmp_path) -> None:
    chain(tmp_path / "chain", [[0, 0], [0, 1, 1], [0, 0, 1, 2, 2]])
    convert(tmp_path / "chain", "-o", tmp_path / "a.json")
    assert lt.LabelTree.load(tmp_path / "a.json").to_nested() == NESTED


def test_a_pecos_model_is_a_tree(tmp_path) -> None:
    for i, clusters in enumerate([[0, 0], [0, 0, 1]]):
        (tmp_path / "ranker" / f"{i}.model").mkdir(parents=True)
        matrix = np.eye(i + 1, dtype=np.float32)[clusters]
        write_npz(tmp_path / "ranker" / f"{i}.model" / "C.npz", matrix)
    assert trees.from_pecos(tmp_path).to_nested() == [[0, 1], 2]
    assert trees.from_pecos(tmp_path / "ranker").to_nested() == [[0, 1], 2]


def test_a_pecos_label_without_a_cluster_is_refused(tmp_path) -> None:
    chain(tmp_path, [[0, 0]])
    write_npz(tmp_path / "C0.npz", [[1], [0]])
    with pytest.raises(ValueError, match="each row must be in one of 1 clusters"):
        trees.from_pecos(tmp_path)


def test_an_empty_folder_is_not_a_pecos_tree(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"neither config\.json nor"):
        trees.from_pecos(tmp_path)


def cbor(value) -> bytes:
    """Return a value encoded as CBOR, with the shortest lengths."""
    if isinstance(value, float):
        return b"\xfa" + struct.pack(">f", value)
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, str):
        return head(3, len(value)) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in value.items())


def head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    return bytes([kind << 5 | 25]) + number.to_bytes(2, "big")


WEIGHTS = {"Sparse": {"outer_dim": 300, "indptr": [0, 1], "data": [0.5, -0.25]}}


def leaf(*labels: int):
    return {"Leaf": {"weights": WEIGHTS, "labels": list(labels)}}


def branch(*children):
    return {"Branch": {"weights": WEIGHTS, "children": list(children)}}


def test_omikuji_labels_are_children_of_its_leaves(tmp_path) -> None:
    tree = branch(leaf(0, 1), branch(leaf(2, 3), leaf(4)))
    (tmp_path / "tree0.cbor").write_bytes(cbor(tree))
    (tmp_path / "tree1.cbor").write_bytes(cbor(leaf(0, 1)))
    convert(tmp_path, "-o", tmp_path / "a.json")
    assert lt.LabelTree.load(tmp_path / "a.json").to_nested() == [[0, 1], [[2, 3], 4]]
    convert(tmp_path, "--tree-number", 1, "-o", tmp_path / "a.json")
    assert lt.LabelTree.load(tmp_path / "a.json").to_nested() == [0, 1]


def test_labels_missing_from_an_omikuji_tree_are_siblings(tmp_path) -> None:
    (tmp_path / "tree0.cbor").write_bytes(cbor(branch(leaf(0, 2), leaf(300, 301))))
    tree = trees.from_omikuji(tmp_path)
    assert tree.n_labels == 302
    assert tree.to_nested()[:2] == [[0, 2], [300, 301]]
    assert tree.to_nested()[2] == [1, *range(3, 300)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xff",
        b"{}",
        cbor({"Twig": {}}),
        cbor(branch(leaf(0, 1)))[:-1],
        cbor({"Branch": {"children": [leaf(0, 1)], "weights": WEIGHTS}}),
        cbor(leaf(0, 0)),
        b"\xa1\x64Leaf\xa1\x66labels\x81\x1b" + b"\x7f" * 8,
        b"\xa1\x64Leaf\xa1\x66labels\x9b" + b"\xff" * 8,
        b"\x9f\x01\xff",
    ],
)
def test_a_malformed_omikuji_tree_is_refused(content, tmp_path) -> None:
    (tmp_path / "tree0.cbor").write_bytes(content)
    with pytest.raises(ValueError, match="tree"):
        trees.from_omikuji(tmp_path)


def test_a_tree_of_another_system_can_be_trained(tmp_path) -> None:
    chain(tmp_path, [[0, 0], [0, 0, 1]])
    clf = lt.PLTClassifier(tree=trees.from_pecos(tmp_path)).fit(np.eye(3), [[0], [1], [2]])
    assert clf.predict_labels(np.eye(3)) == [[0], [1], [2]]


# Wrong usage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl"], "an output is required"),
        (["a.jsonl", "-o", "b.jsonl", "--x-out", "X.npz"], "an output is required"),
        (["a.jsonl", "-o", "nowhere/b.jsonl"], "folder nowhere does not exist"),
        (["a.jsonl", "-o", "a.jsonl"], "is both input and output"),
        (["tree.json", "--x-out", "X.npz"], "a tree needs -o FILE"),
        ([], "an output is required"),
        (["-o", "b.txt"], "no data is given"),
        (["a.jsonl", "-o", "-"], "standard output has no suffix"),
        (["X.npz", "-o", "b.txt"], "npz files come in pairs"),
        (["--x", "X.npz", "--y", "X.npz", "-o", "b.npz"], "npz files come in pairs; write them"),
    ],
)
def test_wrong_usage_is_reported(arguments, message, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl("a.jsonl", TEXTS)
    write_npz("X.npz", [[1.0]])
    lt.LabelTree.from_nested(NESTED).save("tree.json")
    convert(*arguments, code=2)
    assert message in capsys.readouterr().err


def test_a_missing_file_is_named(tmp_path, capsys) -> None:
    convert(tmp_path / "a.jsonl", "-o", tmp_path / "b.tsv", code=1)
    assert "a.jsonl: No such file" in capsys.readouterr().err
