import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch, capsys) -> None:
    example = re.search(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL).group(1)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, str(README), "exec"), {})
    assert (tmp_path / "tree.json").exists()
    assert "LabelTree(n_labels=" in capsys.readouterr().out
