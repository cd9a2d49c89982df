"""What Windows lacks is not needed to train, save and load. Windows itself is not tested."""

import subprocess
import sys
from pathlib import Path

import pytest

#: Takes away what only POSIX has, in a new process.
WITHOUT = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "fchown", "fchmod", "pread", "getuid", "sched_getaffinity", "sysconf"):
    delattr(os, name)
for name in ("SIGALRM", "SIGKILL", "SIGHUP", "SIGPIPE"):
    delattr(signal, name)
import numpy as np
import labeltree as lt
X, Y = np.eye(4, dtype=np.float32), [["a"], ["b"], ["a", "c"], ["c"]]
"""


def output_of(program: str, folder: Path) -> str:
    command = [sys.executable, "-c", f"{WITHOUT}os.chdir({str(folder)!r})\n{program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_folder_can_be_imported(tmp_path) -> None:
    names = "cli data estimators online planning plot storage text training trees tuning"
    output_of("".join(f"import labeltree.{name}\n" for name in names.split()), tmp_path)


def test_a_model_is_trained_saved_and_loaded(tmp_path) -> None:
    program = """
clf = lt.PLTClassifier(n_jobs=1).fit(X, Y)
clf.save("model.lt")
clf.save("model.lt")
print(lt.load("model.lt").top_k(X, 1)[0].shape, os.listdir())
"""
    assert output_of(program, tmp_path) == "(4, 1) ['model.lt']\n"


def test_a_file_that_is_open_is_not_replaced(tmp_path) -> None:
    program = """
from pathlib import Path
def replace(self, target):
    raise PermissionError(13, "Access is denied", str(target))
Path.replace = replace
try:
    lt.PLTClassifier(n_jobs=1).fit(X, Y).save("model.lt")
except PermissionError as error:
    print(error, os.listdir())
"""
    rule = "it cannot be replaced while it is open or mapped; write to another file"
    assert output_of(program, tmp_path) == f"[Errno 13] {rule}: '{tmp_path / 'model.lt'}' []\n"


def test_serving_says_what_it_needs(tmp_path) -> None:
    pytest.importorskip("uvicorn")
    program = """
from labeltree.serve import serve
lt.PLTClassifier(n_jobs=1).fit(X, Y).save("model.lt")
try:
    serve(["model.lt"])
except OSError as error:
    print(error)
"""
    assert output_of(program, tmp_path) == "labeltree serve needs fork, which this system lacks\n"
