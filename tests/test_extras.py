"""Optional packages."""

import sys

import pytest

from labeltree.extras import optional


def test_an_installed_package_is_returned() -> None:
    assert optional("json.decoder", "tests need", "test") is sys.modules["json.decoder"]


def test_a_missing_package_names_its_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = r'^tables need the package pyarrow: pip install "labeltree\[arrow\]"$'
    with pytest.raises(ModuleNotFoundError, match=message):
        optional("pyarrow", "tables need", "arrow")


def test_an_error_of_another_package_is_not_hidden(monkeypatch, tmp_path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_package_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_package_at_all'"):
        optional("broken", "tests need", "test")
