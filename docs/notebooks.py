"""Notebooks: run them and store their outputs, and show them as pages of the site.

    python docs/notebooks.py [NAME ...]

executes docs/notebooks/NAME.ipynb (all of them by default) and stores the outputs in the file. The
site shows what is stored: each notebook becomes the page notebooks/NAME.md.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
_LINK = re.compile(r"\]\((\w+)\.ipynb\)")
_LINK_FROM_PAGE = re.compile(r"\]\((\S*notebooks/\w+)\.ipynb\)")
_BLANK_LINES = re.compile(r"\n\s*\n")  # would end a block of HTML in Markdown


def execute(path: Path) -> None:
    """Run the cells of a notebook and store their outputs, without times and versions."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # files that it writes
        place = {"metadata": {"path": folder}}
        path_of_this = os.pathsep.join(str(Path(one).resolve()) for one in sys.path)
        nbclient.NotebookClient(notebook, resources=place, record_timing=False).execute(
            env={**os.environ, "PYTHONPATH": path_of_this}
        )
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.validate(notebook)
    path.write_text(nbformat.writes(notebook, indent=1, ensure_ascii=False) + "\n")


def page_of(path: Path) -> tuple[str, dict[str, bytes]]:
    """Return a notebook as Markdown, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        is_text = cell["cell_type"] == "markdown"
        parts.append(_LINK.sub(r"](\1.md)", source) if is_text else _fenced(source, "python"))
        for output in cell.get("outputs", []):
            name = f"{path.stem}-{len(pictures) + 1}.png"
            if picture := output.get("data", {}).get("image/png"):
                pictures[name] = base64.b64decode("".join(picture))
                parts.append(f'![Output of the cell above]({name}){{ width="520" }}')
            else:
                parts.append(_text_of(output))
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n\n[Download this notebook]({path.name})\n{rest}\n", pictures


def _text_of(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        return _BLANK_LINES.sub("\n", f"<div>\n{''.join(data['text/html'])}\n</div>")
    return _fenced("".join(output.get("text", data.get("text/plain", ""))).rstrip(), "text")


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add a page for each notebook; called by mkdocs."""
    from mkdocs.structure.files import File

    for path in sorted(FOLDER.glob("*.ipynb")):
        for name, content in _files_of(path):
            files.append(File.generated(config, f"{FOLDER.name}/{name}", content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Link to the pages of notebooks instead of their files; called by mkdocs."""
    return _LINK_FROM_PAGE.sub(r"](\1.md)", markdown)


def _files_of(path: Path) -> Iterator[tuple[str, str | bytes]]:
    markdown, pictures = page_of(path)
    yield f"{path.stem}.md", markdown
    yield from pictures.items()


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb")):
        execute(FOLDER / f"{name}.ipynb")
