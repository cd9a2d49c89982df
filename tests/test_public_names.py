"""The public surface: a change of it shows as a change of docs/reference/public-api.md."""

import importlib
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import labeltree as lt

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_lists_every_public_name() -> None:
    spec = importlib.util.spec_from_file_location("public_names", DOCS / "public_names.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text()
    # To accept a change, run: python docs/public_names.py
    assert module.written(page).splitlines() == page.splitlines()


def test_plots_and_data_sets_come_with_the_package() -> None:
    program = "import labeltree as lt; print(lt.plot.tree_top.__name__, lt.datasets.xmc.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "tree_top xmc\n"


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "labeltree", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"labeltree {lt.__version__}\n"


def packages() -> list[str]:
    modules = pkgutil.walk_packages(lt.__path__, f"{lt.__name__}.")
    found = [module.name for module in modules if module.ispkg]
    optional = (".annif", ".ray", ".torch", ".torch.kernels")  # what they need may not be installed
    return [lt.__name__, *(name for name in found if not name.endswith(optional))]


@pytest.mark.parametrize("name", packages())
def test_no_name_of_a_package_hides_one_of_its_modules(name: str) -> None:
    package = importlib.import_module(name)
    for module in pkgutil.iter_modules(package.__path__):
        member = getattr(package, module.name, None)
        assert member is None or inspect.ismodule(member), f"{name}.{module.name}"
