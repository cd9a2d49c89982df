"""Draw the plots of the reference again: run the examples of reference/plot.md in order.

The picture below an example is the `figure` that the example made.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference" / "plot.md"
_EXAMPLE = re.compile(r"```python\n(.*?)```(?:\n\n!\[.*?\]\((.*?)\))?", re.DOTALL)


def main() -> None:
    """Run all examples, and save the figure of each that has a picture."""
    names: dict[str, Any] = {}
    for code, picture in _EXAMPLE.findall(PAGE.read_text()):
        exec(compile(code, str(PAGE), "exec"), names)
        if picture:
            file = (PAGE.parent / picture).resolve()
            names["figure"].savefig(file, dpi=110, pil_kwargs={"optimize": True})
            print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
