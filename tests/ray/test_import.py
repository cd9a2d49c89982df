"""labeltree without Ray."""

import re
import subprocess
import sys
from pathlib import Path

import pytest


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


def test_labeltree_does_not_import_ray() -> None:
    assert run("import labeltree, sys; print('ray' in sys.modules)").stdout == "False\n"


def test_without_ray_the_error_names_the_extra() -> None:
    done = run("import labeltree, sys; sys.modules['ray'] = None; import labeltree.ray")
    wanted = 'labeltree.ray needs the package ray: pip install "labeltree[ray]"'
    assert done.stderr.splitlines()[-1] == f"ImportError: {wanted}"


def test_every_public_name_is_in_the_reference() -> None:
    pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')
    import labeltree.ray

    page = Path(__file__).parents[2] / "docs" / "reference" / "ray.md"
    documented = re.findall(r"^::: labeltree\.ray\.(.*)$", page.read_text(), flags=re.MULTILINE)
    assert sorted(documented) == sorted(labeltree.ray.__all__)
