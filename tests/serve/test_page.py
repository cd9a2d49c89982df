"""The files of the page."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

pytest.importorskip("msgspec", reason='needs pip install "labeltree[serve]"')

from labeltree.serve.page import PARTS, page_file

_NAMES = ("page.html", *PARTS)
_SCRIPTS = [name for name in PARTS if name.endswith(".js")]


def _text(name: str) -> str:
    return page_file(name)[0].decode()


def test_the_page_has_at_most_40_kilobytes() -> None:
    assert sum(len(page_file(name)[0]) for name in _NAMES) <= 40_000


def test_every_file_of_the_folder_is_served() -> None:
    folder = files("labeltree.serve.page")
    found = {one.name for one in folder.iterdir() if one.name[0] != "_"}
    assert found == set(_NAMES)


@pytest.mark.parametrize("name", _NAMES)
def test_nothing_comes_from_elsewhere(name: str) -> None:
    addresses = re.findall(r"https?://[^\s\"']+", _text(name))
    assert addresses == (["http://www.w3.org/2000/svg"] if name == "icon.svg" else [])


def test_the_document_has_no_inline_script_or_style() -> None:
    document = _text("page.html")
    assert re.findall(r"<style|\bstyle=|\bon\w+=|<script(?! type=\"module\" src=)", document) == []


@pytest.mark.parametrize("name", _SCRIPTS)
def test_scripts_never_make_elements_from_text(name: str) -> None:
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", _text(name)) == []


@pytest.mark.parametrize("name", _SCRIPTS)
def test_imported_scripts_are_served(name: str) -> None:
    assert set(re.findall(r'from "\./([\w.]+)"', _text(name))) <= set(PARTS)


def test_every_element_that_scripts_find_is_in_the_document() -> None:
    found = {
        one for name in _SCRIPTS for one in re.findall(r'(?:find|on)\("([\w-]+)"', _text(name))
    }
    assert found <= set(re.findall(r'id="([\w-]+)"', _text("page.html")))
