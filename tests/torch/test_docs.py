"""The pages about labeltree.torch."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="labeltree.torch needs torch")

import labeltree.torch

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_of_the_page_run_one_after_the_other(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(
        r"```python\n(.*?)```", (DOCS / "how-to" / "torch.md").read_text(), flags=re.DOTALL
    )
    exec(compile("\n".join(examples), "torch.md", "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} == {"model.lt"}


def test_the_reference_lists_every_public_name() -> None:
    listed = re.findall(
        r"::: labeltree\.torch\.(\w+)", (DOCS / "reference" / "torch.md").read_text()
    )
    assert sorted(listed) == sorted(labeltree.torch.__all__)
