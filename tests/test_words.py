"""The word list of the pages, notebooks and docstrings."""

import runpy
from pathlib import Path

import pytest

WORDS = runpy.run_path(str(Path(__file__).parent.parent / "docs" / "words.py"))
PAGE = WORDS["ROOT"] / "docs" / "page.md"


def found(text: str) -> list[str]:
    return list(WORDS["_places"](PAGE, 1, text))


def test_a_word_of_the_list_is_found_with_its_line() -> None:
    assert found("Nodes are trained.\nA model has Learnt.") == ["docs/page.md:2: 'Learnt': learned"]


@pytest.mark.parametrize(
    "text", ["`learnt`", "```\nlearnt\n```", "[a page](learnt.md)", "learned", "a dearth"]
)
def test_code_links_and_other_words_are_not_found(text) -> None:
    assert found(text) == []


def in_notebook(**cell: object) -> list[str]:
    path = WORDS["ROOT"] / "docs" / "notebooks" / "tea.ipynb"
    return list(WORDS["_in_notebook"](path, [{"cell_type": "markdown", "source": []}, cell]))


def test_the_text_of_a_notebook_is_read() -> None:
    cell = {"cell_type": "markdown", "source": ["Trees:\n", "a model has learnt."]}
    assert in_notebook(**cell) == ["docs/notebooks/tea.ipynb: cell 2, line 2: 'learnt': learned"]


@pytest.mark.parametrize("output", [{"text": ["learnt"]}, {"data": {"text/plain": ["learnt"]}}])
def test_what_a_cell_prints_is_read(output) -> None:
    assert len(in_notebook(cell_type="code", source=[], outputs=[output])) == 1


def test_the_code_and_the_pictures_of_a_notebook_are_not_read() -> None:
    picture = {"data": {"image/png": "learnt"}}
    assert in_notebook(cell_type="code", source=["learnt = 1"], outputs=[picture]) == []


def test_pages_notebooks_and_docstrings_have_no_word_of_the_list() -> None:
    assert list(WORDS["unwanted"]()) == []
