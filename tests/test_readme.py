import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_of_the_readme_run_one_after_the_other(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL):
        exec(compile(example, str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert "scipy.sparse.linalg" in printed
    assert (tmp_path / "tree.json").exists()


def test_the_readme_is_read_in_a_minute() -> None:
    assert len(README.read_text().splitlines()) <= 130
