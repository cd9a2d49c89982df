import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_of_the_readme_run(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL):
        exec(compile(example, str(README), "exec"), {})
    printed = capsys.readouterr().out
    assert "scipy.sparse.linalg" in printed
    assert (tmp_path / "tree.json").exists()
