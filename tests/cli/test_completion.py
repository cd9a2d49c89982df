"""Scripts for the completion of a shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from labeltree.cli import main


def completed(tmp_path, capsys, *words: str) -> list[str]:
    """Return what bash offers for the last of the words."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "labeltree.bash"
    script.write_text(capsys.readouterr().out)
    typed = " ".join(f"'{word}'" for word in ("labeltree", *words))
    lines = f"source {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _labeltree"
    shell = ["bash", "--norc", "-c", f'{lines}; printf "%s\\n" "${{COMPREPLY[@]}}"']
    return subprocess.run(shell, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tr"], ["train", "tree"]),
        (["train", "--hold"], ["--holdout"]),
        (["train", "docs.jsonl", "--loss", ""], ["squared_hinge", "logistic"]),
        (["predict", "model.lt", "--be"], ["--beam"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["train", "doc"], []),
    ],
)
def test_bash_completes_commands_options_and_values(words, expected, tmp_path, capsys) -> None:
    assert completed(tmp_path, capsys, *words) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_option(shell, capsys) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in ("stream", "save-seconds", "n-jobs", "squared_hinge"):
        assert name in script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_valid(shell, tmp_path, capsys) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    assert main(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


def test_an_unknown_shell_is_code_2(capsys) -> None:
    assert main(["completion", "dos"]) == 2
    assert "invalid choice: 'dos'" in capsys.readouterr().err
