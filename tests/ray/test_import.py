"""labeltree without Ray."""

import subprocess
import sys


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
