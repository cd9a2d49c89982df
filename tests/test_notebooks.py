"""The notebooks of the docs run, and have their outputs."""

import json
import os
import runpy
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(path: Path) -> list[dict]:
    cells = json.loads(path.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@by_name
def test_the_cells_of_a_notebook_run_one_after_the_other(path, tmp_path, monkeypatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # of processes that cells start
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in code_cells(path):
        exec(compile("".join(cell["source"]), path.name, "exec"), names)


@by_name
def test_a_notebook_is_stored_with_the_outputs_of_one_run(path) -> None:
    cells = code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs
    assert not [
        one for one in outputs if one["output_type"] == "error" or one.get("name") == "stderr"
    ]


@by_name
def test_a_notebook_opens_with_a_title(path) -> None:
    assert json.loads(path.read_text())["cells"][0]["source"][0].startswith("# ")


def test_the_page_of_a_notebook_shows_text_pictures_and_links_to_pages(tmp_path) -> None:
    def code(output: dict) -> dict:
        return {"cell_type": "code", "source": ["1 + 1"], "outputs": [output]}

    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "See [the paper](paper.ipynb)."]},
        code({"data": {"text/plain": ["2"]}}),
        code({"name": "stdout", "text": ["two\n"]}),
        code({"data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}}),
        code({"data": {"text/html": ["<b>2</b>\n", "\n", "<i></i>"]}}),
    ]
    path = tmp_path / "sums.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    page, pictures = runpy.run_path(str(DOCS / "notebooks.py"))["page_of"](path)
    assert page.startswith(
        "# Title\n\n[Download this notebook](sums.ipynb)\n\nSee [the paper](paper.md)."
    )
    assert "```python\n1 + 1\n```\n\n```text\n2\n```" in page
    assert "```text\ntwo\n```" in page
    assert '![Output of the cell above](sums-1.png){ width="520" }' in page
    assert "<div>\n<b>2</b>\n<i></i>\n</div>" in page
    assert pictures == {"sums-1.png": bytes(3)}
