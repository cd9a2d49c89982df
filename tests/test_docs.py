import doctest
import importlib
import inspect
import operator
import re
import runpy
import shlex
import sys
import textwrap
from pathlib import Path

import pytest

import labeltree as lt
from labeltree import cli, datasets, trees
from labeltree.data import write_npz, write_xmc

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# Their examples use data that is slow to read, or torch; tests/torch runs those.
DATA = {
    "how-to/datasets.md",
    "tutorial.md",
    "tutorial-tuning.md",
    "how-to/torch.md",
    "how-to/torch-speed.md",
    "how-to/torch-training.md",
}
# Packages that the examples of a page need beside those of labeltree, and files that they write.
PACKAGES = {"how-to/tables.md": "pyarrow"}
# The page that links to the others comes first: its commands write what theirs read.
MIGRATION = [
    "how-to/coming-from.md",
    *(page for page in PAGES if page.startswith("how-to/from-")),
]
WRITTEN = {
    "model.lt",
    "tree.json",
    "docs.jsonl",
    "docs-0.jsonl",
    "docs-1.jsonl",
    "docs.parquet",
    "rows.parquet",
    "rows.mapped",
}


def examples_of(page: str) -> list[str]:
    found = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    return [textwrap.dedent(example) for example in found]  # those in tabs are indented


def run_examples(page: str, names: dict[str, object], examples: list[str]) -> None:
    exec(compile("\n".join(examples), page, "exec"), names)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in DATA and examples_of(page)])
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch) -> None:
    if page in PACKAGES:
        pytest.importorskip(PACKAGES[page])
    monkeypatch.chdir(tmp_path)
    run_examples(page, {}, examples_of(page))
    assert {path.name for path in tmp_path.iterdir()} <= WRITTEN


# `py` is Python that the tests do not run, such as code for a cluster.
LANGUAGES = {"bash", "c", "console", "ini", "json", "py", "pycon", "python", "shell", "text"}


@pytest.mark.parametrize("page", PAGES)
def test_code_on_a_page_names_a_language_that_is_known(page) -> None:
    fences = re.findall(r"^ *```(.*)$", (DOCS / page).read_text(), flags=re.MULTILINE)
    assert set(fences[::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}


@pytest.fixture
def few_docs(monkeypatch) -> None:
    """Use the docstrings of two small packages in place of all installed packages."""
    found = datasets.python_docs(packages=["json", "email"], min_count=1)
    monkeypatch.setattr(datasets, "python_docs", lambda **_: found)


def test_the_examples_of_the_guide_run(few_docs, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    first, *others = [*examples_of("tutorial.md"), *examples_of("tutorial-tuning.md")]
    names: dict[str, object] = {}
    run_examples("tutorial.md", names, [first])
    assert cli.main(["train", "docs.jsonl", "-o", "model.lt"]) == 0
    run_examples("tutorial.md", names, others)


def test_the_examples_about_data_run(few_docs, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("2 3 2\n0 0:1 2:0.5\n0,1 1:1\n")
    few_rows = datasets.xmc("train.txt", "test.txt", normalize=True)
    monkeypatch.setattr(datasets, "eurlex4k", lambda **_: few_rows)
    run_examples("how-to/datasets.md", {}, examples_of("how-to/datasets.md"))


def commands_of(path: Path) -> list[str]:
    lines = re.findall(r"^(?: {4}(?:\$ )?|\$ )(.*)$", path.read_text(), flags=re.MULTILINE)
    parts = [re.split("  #| > ", part)[0].strip() for line in lines for part in line.split("|")]
    return [part for part in parts if part.startswith("labeltree ")]


@pytest.mark.parametrize("page", [*PAGES, "../README.md"])
def test_the_commands_of_a_page_parse(page) -> None:
    for command in commands_of(DOCS / page):
        arguments = shlex.split(command)
        assert callable(cli.make_parser().parse_args(arguments[1:]).run)


def test_the_commands_of_the_migration_pages_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_xmc("train.txt", [[0.5, 0], [0, 1]], [[0, 1], [1]])
    Path("data.svm").write_text("0 1:1\n1 2:1\n")
    Path("train.ft").write_text("__label__tea green tea\n")
    for folder in ("napkinxc-model", "omikuji-model", "pecos-model"):
        Path(folder).mkdir()
    trees.to_napkinxc(trees.star(2), "napkinxc-model/tree.txt")
    Path("omikuji-model/tree0.cbor").write_bytes(b"\xa1\x64Leaf\xa1\x66labels\x82\x00\x01")
    Path("pecos-model/config.json").write_text('{"len": 1}')
    write_npz("pecos-model/C0.npz", [[1], [1]])
    pages = "\n".join((DOCS / page).read_text() for page in MIGRATION)
    lines = re.findall(r"^\$ (.*)$", pages, flags=re.MULTILINE)
    assert len(lines) > 7
    for line in lines:
        assert cli.main(shlex.split(line)[1:]) == 0, line


@pytest.mark.parametrize("page", [*MIGRATION, "how-to/annif.md"])
def test_commands_and_names_in_running_text_are_known(page) -> None:
    text = (DOCS / page).read_text()
    for command in re.findall(r"`labeltree ([a-z]+ [^`]*)`", text):
        assert callable(cli.make_parser().parse_args(shlex.split(command.partition("<")[0])).run)
    for name in re.findall(r"\blt\.([A-Za-z_][\w.]*\w)", text):
        assert callable(operator.attrgetter(name)(lt)) or name == "metrics"


def test_the_tutorials_and_the_readme_have_commands() -> None:
    assert len(commands_of(DOCS / "tutorial.md")) > 3
    assert len(commands_of(DOCS / "tutorial-tuning.md")) > 5
    assert len(commands_of(README)) > 3


# The site -----------------------------------------------------------------------------------------


def test_every_page_is_on_the_site_once() -> None:
    listed = re.findall(r"[\w/-]+\.md", (DOCS.parent / "mkdocs.yml").read_text())
    notebooks = [f"notebooks/{path.stem}.md" for path in (DOCS / "notebooks").glob("*.ipynb")]
    assert sorted(listed) == sorted([*PAGES, *notebooks])


METHOD = re.compile(r"\.[A-Z]\w+\.\w+$")


def documented_names() -> list[str]:
    """Return the names of all pages but those that tests/ray and tests/torch read."""
    return [
        name
        for page in (DOCS / "reference").glob("*.md")
        if page.name not in ("ray.md", "torch.md")
        for name in re.findall(r"^::: (.*)$", page.read_text(), flags=re.MULTILINE)
    ]


@pytest.mark.parametrize("name", ["PLTClassifier", "TextTagger", "LabelTree"])
def test_every_method_of_a_class_is_in_the_reference_once(name) -> None:
    start = f"labeltree.{name}."
    listed = [found.removeprefix(start) for found in documented_names() if found.startswith(start)]
    methods = {
        short
        for short, made in inspect.getmembers(getattr(lt, name), callable)
        if not short.startswith("_") and made.__module__.startswith("labeltree")
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == methods


def test_every_public_name_is_in_the_reference_once() -> None:
    documented = [name for name in documented_names() if not METHOD.search(name)]
    modules = [
        "bounds",
        "cost",
        "data",
        "datasets",
        "execution",
        "hub",
        "metrics",
        "mlflow",
        "online",
        "planning",
        "plot",
        "trees",
    ]
    public = {f"labeltree.{name}" for name in lt.__all__ if name not in (*modules, "__version__")}
    for name in modules:
        module = importlib.import_module(f"labeltree.{name}")
        public |= {f"labeltree.{name}.{short}" for short in module.__all__}
    assert len(documented) == len(set(documented))
    assert set(documented) == public - {"labeltree.trees.LabelTree"}


def test_the_reference_has_the_help_of_every_command() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text()
    assert re.findall(r"<!-- help: (\w+) -->", page) == [
        module.__name__.rpartition(".")[2] for module in cli._COMMANDS
    ]


class AnyDecimals(doctest.OutputChecker):
    """Ignores decimals, which may differ between machines; words and order must match."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        masked = [re.sub(r"[+-]?\d+\.\d+", "#", text) for text in (want, got)]
        return super().check_output(*masked, optionflags | doctest.NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("page", ["how-to/plan.md", "how-to/explain.md"])
def test_the_sessions_of_a_page_print_the_output_shown(page) -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    session = "\n".join(block.replace("\n\n", "\n<BLANKLINE>\n") for block in blocks)
    example = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    failures: list[str] = []
    doctest.DocTestRunner(checker=AnyDecimals()).run(example, out=failures.append)
    assert failures == []


def test_the_calibration_example_lowers_the_calibration_error(capsys) -> None:
    runpy.run_path(str(DOCS.parent / "examples" / "calibrate.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    before, after = (float(line.split()[-1]) for line in printed[:2])
    assert after < before


def test_the_explanation_example_runs(capsys, tmp_path, monkeypatch) -> None:
    picture = tmp_path / "why.png"
    options = ["--label", "numpy", "--plot", str(picture)]
    monkeypatch.setattr(sys, "argv", ["explain.py", "sort an array", *options])
    runpy.run_path(str(DOCS.parent / "examples" / "explain.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[0].startswith("numpy: probability ")
    assert picture.exists()


def test_the_example_of_mapped_rows_trains_a_model(capsys, tmp_path, monkeypatch) -> None:
    pytest.importorskip("pyarrow")
    rows = [("green tea", ["tea"]), ("rye bread", ["bread", "rye"])] * 20
    lt.data.write_parquet(tmp_path / "docs.parquet", rows)
    places = [str(tmp_path / name) for name in ("docs.parquet", "rows", "model.lt")]
    monkeypatch.setattr(sys, "argv", ["mapped_rows.py", *places])
    runpy.run_path(str(DOCS.parent / "examples" / "mapped_rows.py"), run_name="__main__")
    assert "cheapest" in capsys.readouterr().out
    assert len(lt.load(tmp_path / "model.lt").classes_) == 3


def test_names_that_need_a_missing_package_are_documented_from_their_source(monkeypatch) -> None:
    hooks = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "hooks.py"))
    monkeypatch.setitem(sys.modules, "labeltree.torch", None)
    made = hooks["on_page_markdown"]("::: labeltree.torch.TreeSoftmax")
    assert made.startswith("## TreeSoftmax {#labeltree.torch.TreeSoftmax}\n\n```text\n")
    assert "Parameters" in made


# What the hooks of the site generate --------------------------------------------------------------


@pytest.fixture(scope="module")
def filled():
    """Return the function that fills the markers of a page."""
    return runpy.run_path(str(DOCS / "hooks.py"))["on_page_markdown"]


def test_an_overview_has_a_row_for_each_group_and_each_name(filled) -> None:
    page = "# Trees\n\n<!-- overview -->\n\n## Simple\n\n::: labeltree.trees.star\n"
    rows = [line for line in filled(page).splitlines() if line.startswith("| ")]
    assert rows[2:] == [
        "| **Simple** | |",
        "| [`star`](#labeltree.trees.star) | Return the tree whose root has all labels as "
        "children: one classifier per label. |",
    ]


def test_a_name_is_documented_one_level_below_its_heading(filled) -> None:
    assert "heading_level: 4" in filled("### Simple\n\n::: labeltree.trees.star")


def test_a_class_whose_methods_are_listed_has_no_second_list(filled) -> None:
    page = "::: labeltree.LabelTree\n\n::: labeltree.LabelTree.save"
    assert filled(page).count("members: false") == 1


def test_a_name_with_a_heading_of_its_own_gets_no_second_one(filled) -> None:
    page = "### star {#labeltree.trees.star}\n\n::: labeltree.trees.star"
    assert "show_root_heading: false" in filled(page)


def test_the_attributes_of_a_class_are_its_properties(filled) -> None:
    made = filled("<!-- attributes: labeltree.LabelTree -->")
    assert "| `n_labels` | Number of labels, which is the number of leaves. |" in made


def test_the_table_of_commands_links_to_the_help_of_each(filled) -> None:
    assert "| [`train`](#labeltree-train) | " in filled("<!-- commands -->")
