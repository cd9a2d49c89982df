"""Words that pages, notebooks and docstrings avoid, with what to write instead; run by `make lint`.

    python docs/words.py

Users read standard words once and private ones twice. Code and what is in backticks is not read;
of notebooks, text and what cells print is.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WORDS = {
    # prose
    r"learnt": "learned",
    r"foretells?|foretold": "estimate",
    r"told(?! apart)": "reported",
    r"tells? on": "report to",
    r"dear|dearer|dearest": "expensive",
    r"anew": "again",
    r"(?<!there )is no (model|tree|label|file)": "is not a ...",
    r"as good as not there": "ignored",
    r"rows? to judge by|judged by": "rows held out for evaluation",
    r"judges?": "evaluate",
    r"rivals?": "other systems",
    r"mends?|mended": "fix",
    r"likeness": "similarity",
    r"damping": "C_decay",
    r"weights of one byte|one-byte weights": "8-bit weights",
    r"promises?|promised": "guarantee",
    r"retrees?|retrieve the tree": "rebuild the tree",
    r"asking": "prediction",
    r"utili[sz]e[sd]?|leverages?d": "use",
    r"please|simply|just|obviously|of course": "nothing; leave it out",
    r"in order to": "to",
    # headings of earlier pages
    r"what is refused": "Error messages",
    r"what you may rely on": "Guarantees",
    r"beside other systems|where we lose": "Benchmarks, Limitations",
    r"how hard nodes try|what nodes see of X": "Regularization, Feature weighting",
    r"more rows later|long fits": "Warm start; Threads, memory and checkpoints",
    r"learning that never stops": "Online learning",
    # names of earlier versions
    r"feature_powers|max_iterations|row_sample|sum_to_one|start_weight|max_leaf(?!_size)": (
        "the name of today"
    ),
}
_RULES = [(re.compile(rf"\b(?:{word})\b", re.IGNORECASE), better) for word, better in WORDS.items()]
_CODE = re.compile(r"```.*?```|``[^`]*``|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->|\[`", re.DOTALL)


def main() -> int:
    """Print each place of a word on the list, and return 1 if there is any."""
    found = list(unwanted())
    for place in found:
        print(place)
    return int(bool(found))


def unwanted() -> Iterator[str]:
    """Yield the place of each unwanted word, and what to write instead."""
    for path in pages():
        yield from _places(path, 1, path.read_text())
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        yield from _in_notebook(path, json.loads(path.read_text())["cells"])
    for path in sorted((ROOT / "src" / "labeltree").rglob("*.py")):
        for line, text in _docstrings(path):
            yield from _places(path, line, text)


def pages() -> list[Path]:
    """Return all pages for people."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    return [*top, *sorted((ROOT / "docs").rglob("*.md"))]


def _in_notebook(path: Path, cells: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is found in the text of cells and in what they print, with the cell's number."""
    for number, cell in enumerate(cells, 1):
        for text in _read_of(cell):
            for place in _places(path, 1, text):
                _, line, found = place.split(":", 2)
                yield f"{path.relative_to(ROOT)}: cell {number}, line {line}:{found}"


def _read_of(cell: dict[str, Any]) -> Iterator[str]:
    if cell["cell_type"] == "markdown":
        yield "".join(cell["source"])
    for output in cell.get("outputs", ()):
        printed = output.get("text", output.get("data", {}).get("text/plain", ()))
        yield "".join(printed)


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, kinds) and (text := ast.get_docstring(node, clean=False)):
            yield node.body[0].lineno, re.sub(r"^\s*(>>>|\.\.\.) .*$", "", text, flags=re.MULTILINE)


def _places(path: Path, line: int, text: str) -> Iterator[str]:
    """Yield what is found in a text that starts at a line of a file; code counts as blanks."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    for rule, better in _RULES:
        for match in rule.finditer(prose):
            number = line + prose.count("\n", 0, match.start())
            yield f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: {better}"


if __name__ == "__main__":
    sys.exit(main())
