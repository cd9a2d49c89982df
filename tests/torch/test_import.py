"""labeltree without torch."""

import subprocess
import sys


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


def test_labeltree_does_not_import_torch() -> None:
    done = run("import labeltree, sys; print('torch' in sys.modules)")
    assert done.stdout == "False\n"


def test_without_torch_the_error_names_the_extra() -> None:
    done = run("import labeltree, sys; sys.modules['torch'] = None; import labeltree.torch")
    wanted = 'labeltree.torch needs the package torch: pip install "labeltree[torch]"'
    assert done.stderr.splitlines()[-1] == f"ImportError: {wanted}"
