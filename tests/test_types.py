"""What type checkers know of the public functions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import labeltree

pytest.importorskip("mypy")

CODE = """
import labeltree as lt

reveal_type(lt.load("model.lt"))
reveal_type(lt.PLTClassifier().predict([[1.0]]))
reveal_type(lt.HSMClassifier().predict([[1.0]]))
reveal_type(lt.PLTClassifier().predict_proba([[1.0]]))
reveal_type(lt.PLTClassifier().predict_proba([[1.0]], k=5))
reveal_type(lt.TextTagger().predict_proba(["tea"], threshold=0.5))
reveal_type(lt.load("model.lt").score([[1.0]], [["tea"]]))
"""
ARRAY, SPARSE = "ndarray[", "csr_array["


def test_type_checkers_know_what_is_returned(tmp_path) -> None:
    path = tmp_path / "used.py"
    path.write_text(CODE)
    source = str(Path(labeltree.__file__).parents[1])
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary", str(path)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "MYPYPATH": "" if "site-packages" in source else source},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded, predicted, classes, full, best, above, score = (
        line.split('"')[1] for line in checked.stdout.splitlines()
    )
    assert all(name in loaded for name in ("PLTClassifier", "TextTagger"))
    assert ARRAY in predicted
    assert SPARSE in predicted
    assert ARRAY in classes
    assert SPARSE not in classes
    assert ARRAY in full
    assert SPARSE in full
    assert all(SPARSE in found and ARRAY not in found for found in (best, above))
    assert score.endswith("float")
