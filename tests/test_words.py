"""The word list of the pages and docstrings."""

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


def test_pages_and_docstrings_have_no_word_of_the_list() -> None:
    assert list(WORDS["unwanted"]()) == []
