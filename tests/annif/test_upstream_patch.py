"""The patch for Annif in contrib/annif, applied to a copy of the installed Annif."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(find_spec("annif") is None, reason="needs Annif")
ROOT = Path(__file__).parents[2]
PATCH = ROOT / "contrib" / "annif" / "labeltree-backend.patch"
PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")
PROJECT = """[tea]
language=en
backend=labeltree
analyzer=snowball(english)
vocab=food
allow_learn=yes
"""


@pytest.fixture(scope="module")
def patched(tmp_path_factory) -> Path:
    """A folder with the patched Annif and its new tests."""
    folder = tmp_path_factory.mktemp("annif")
    spec = find_spec("annif")
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, folder / "annif")
    command = ["git", "apply", "--include=annif/*", "--include=tests/*", str(PATCH)]
    subprocess.run(command, cwd=folder, check=True)
    shutil.copy(Path(__file__).with_name("upstream_fixtures.py"), folder / "tests" / "conftest.py")
    words = folder / "nltk" / "tokenizers" / "punkt_tab" / "english"
    words.mkdir(parents=True)
    for name in PUNKT:
        (words / name).touch()
    return folder


def run(folder: Path, *arguments: str, text: str = "") -> str:
    """Run Python with the patched Annif, without a variable that names a configuration."""
    paths = [str(folder), *filter(None, sys.path)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ANNIF")}
    environment |= {"PYTHONPATH": os.pathsep.join(paths), "NLTK_DATA": str(folder / "nltk")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=folder,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tests_of_the_patch_pass(patched) -> None:
    found = run(patched, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert "14 passed, 1 skipped" in found


def test_all_commands_work_without_an_environment_variable(patched) -> None:
    (patched / "projects.cfg").write_text(PROJECT)
    subjects = ("tea", "bread")
    (patched / "vocab.tsv").write_text("".join(f"<http://x.org/{s}>\t{s}\n" for s in subjects))
    lines = ("green tea\t<http://x.org/tea>\n", "rye bread\t<http://x.org/bread>\n")
    (patched / "corpus.tsv").write_text("".join(lines * 3))

    def annif(*arguments: str, text: str = "") -> str:
        return run(patched, "-c", "from annif.cli import cli; cli()", *arguments, text=text)

    annif("load-vocab", "--language", "en", "food", "vocab.tsv")
    annif("train", "tea", "corpus.tsv")
    assert "http://x.org/tea" in annif("suggest", "tea", "--limit", "1", text="a cup of tea")
    assert "Precision@1:                  \t1.0" in annif("eval", "tea", "corpus.tsv")
    annif("learn", "tea", "corpus.tsv")
    assert "http://x.org/tea" in annif("suggest", "tea", "--limit", "1", text="a cup of tea")
    assert "Got best NDCG score" in annif("hyperopt", "tea", "corpus.tsv", "--trials", "2")
