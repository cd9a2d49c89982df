"""The check of the built site, on made-up pages."""

import runpy
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).parent.parent / "docs" / "site_check.py"))


def page(body: str = "", start: str = "<h1>Tea</h1><p>You make tea.</p>") -> str:
    return f"<head><title>Tea</title></head><article>{start}{body}</article>"


def findings(tmp_path: Path, **pages: str) -> list[str]:
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
    return list(CHECK["findings"](tmp_path))


def test_living_links_anchors_and_images_are_no_findings(tmp_path) -> None:
    (tmp_path / "tea.png").write_bytes(b"")
    links = '<a href="b.html#pot">b</a><a href="#here">a</a><a href="https://example.org/x">x</a>'
    made = page(f'<i id="here"></i><img src="tea.png">{links}')
    assert findings(tmp_path, a=made, b=page('<h2 id="pot">Pot</h2>')) == []


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        ('<a href="b.html">b</a>', "a.html links to b.html, which does not exist"),
        ('<a href="#pot">pot</a>', "a.html links to #pot, which has no such anchor"),
        ('<img src="tea.png">', "a.html loads tea.png, which does not exist"),
        (
            '<script src="https://example.org/x.js"></script>',
            "a.html loads https://example.org/x.js, which is on another host",
        ),
    ],
)
def test_what_is_dead_or_foreign_is_found(tmp_path, body, finding) -> None:
    assert findings(tmp_path, a=page(body)) == [finding]


@pytest.mark.parametrize("start", ["<h1>Tea</h1><h2>Pots</h2>", "<p>You make tea.</p>", ""])
def test_a_page_begins_with_a_title_and_a_paragraph(tmp_path, start) -> None:
    assert "must begin with a title and a paragraph" in findings(tmp_path, a=page(start=start))[0]


def test_the_contents_of_a_section_have_a_row_for_each_group_and_each_page(tmp_path) -> None:
    module = runpy.run_path(str(Path(__file__).parent.parent / "docs" / "contents.py"))
    (tmp_path / "a.md").write_text("# A\n\nMake [tea](b.md): hot.\n\n```python\n# b\n```\n")
    section = ["how-to/index.md", {"Drinks": [{"Tea": "a.md"}]}]
    rows = list(module["contents"](section, "how-to/index.md", tmp_path))
    assert rows[4:-2] == ["| **Drinks** | |", "| [Tea](../a.md) | Make tea. |"]
