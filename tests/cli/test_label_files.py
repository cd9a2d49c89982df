"""The options --labels and --exclude-labels of predict."""

import pytest

import labeltree as lt
from labeltree.cli import main
from tests.cli.text_files import file_with


def tags(output: str) -> list[list[str]]:
    """The labels of each line."""
    return [[cell.rpartition(":")[0] for cell in line.split("\t")] for line in output.splitlines()]


def test_only_labels_of_a_file_are_predicted(model, tmp_path, capfd) -> None:
    texts = file_with(tmp_path, "green tea\nrye bread\n", "texts.txt")
    names = file_with(tmp_path, "bread\n\nrye\n", "labels.txt")
    assert main(["predict", model, texts, "--labels", names]) == 0
    expected = lt.load(model).tag(["green tea", "rye bread"], labels=["bread", "rye"])
    assert tags(capfd.readouterr().out) == [[tag for tag, _ in row] for row in expected]


def test_labels_of_a_file_are_excluded(model, tmp_path, capfd) -> None:
    texts = file_with(tmp_path, "green tea\n", "texts.txt")
    names = file_with(tmp_path, "tea\nunknown\n", "retired.txt")
    assert main(["predict", model, texts, "--exclude-labels", names]) == 0
    expected = lt.load(model).tag(["green tea"], exclude_labels=["tea"])
    assert tags(capfd.readouterr().out) == [[tag for tag, _ in row] for row in expected]


def test_integer_labels_are_read_as_integers(xmc, tmp_path, capfd) -> None:
    model = str(tmp_path / "numbers.lt")
    assert main(["train", xmc, "-o", model]) == 0
    names = file_with(tmp_path, "1\n3\n", "labels.txt")
    capfd.readouterr()
    assert main(["predict", model, xmc, "--labels", names]) == 0
    found = {label for row in tags(capfd.readouterr().out) for label in row}
    assert found == {"1", "3"}


@pytest.mark.parametrize(
    ("line", "message"),
    [("tee", "--labels must have labels of the model, but 'tee' of"), ("\xff", "of the model")],
)
def test_unknown_labels_are_named(line, message, model, tmp_path, capfd) -> None:
    texts = file_with(tmp_path, "green tea\n", "texts.txt")
    names = file_with(tmp_path, f"{line}\n", "labels.txt")
    assert main(["predict", model, texts, "--labels", names]) == 2
    assert message in capfd.readouterr().err


def test_ancestors_need_all_labels(model, tmp_path, capfd) -> None:
    texts = file_with(tmp_path, "green tea\n", "texts.txt")
    names = file_with(tmp_path, "tea\n", "labels.txt")
    pairs = file_with(tmp_path, "tea\tdrink\n", "taxonomy.tsv")
    arguments = ["predict", model, texts, "--exclude-labels", names, "--ancestors", pairs]
    assert main(arguments) == 2
    assert "--ancestors needs all labels" in capfd.readouterr().err
