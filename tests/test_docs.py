import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", ["training.md"])
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    exec(compile("\n".join(examples), page, "exec"), {})
    assert list(tmp_path.iterdir()) == []
