"""Facts about files that take the place of others."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from labeltree.data.files import open_write
from labeltree.data.replacing import TEMPORARY


def write(path: Path, content: bytes = b"new") -> None:
    with open_write(path) as stream:
        stream.write(content)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(TEMPORARY)]


@pytest.fixture
def stuck(tmp_path: Path):
    """A process that has begun to write the file `rows` and never ends by itself."""
    program = (
        "import sys, time\n"
        "from labeltree.data.files import open_write\n"
        "with open_write(sys.argv[1]) as stream:\n"
        "    stream.write(b'half'); print(flush=True); time.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "rows")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.parametrize("before", [0o640, 0o600, 0o664, 0o444])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, before: int) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    path.chmod(before)
    write(path)
    assert (mode(path), path.read_bytes()) == (before, b"new")


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "rows")
    finally:
        os.umask(before)
    assert mode(tmp_path / "rows") == 0o640


def test_nobody_else_can_read_a_file_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with open_write(path):
        assert [mode(tmp_path / name) for name in leftovers(tmp_path)] == [0o600]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    path.chmod(0o640)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (12345, 54321, 0o640)


def test_the_rights_of_a_group_are_not_given_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    path.chmod(0o664)
    seen = os.fstat

    def of_others(handle: int) -> os.stat_result:
        return os.stat_result([*seen(handle)[:4], 12345, 54321, *seen(handle)[6:]])

    def refuse(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fstat", of_others)
    monkeypatch.setattr(os, "fchown", refuse)
    write(path)
    assert mode(path) == 0o604


def test_a_link_still_points_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"old")
    (tmp_path / "link").symlink_to("rows")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "rows").read_bytes() == b"new"


def test_the_next_write_removes_what_a_killed_one_left(tmp_path: Path, stuck) -> None:
    stuck.send_signal(signal.SIGKILL)
    stuck.wait()
    assert len(leftovers(tmp_path)) == 1
    write(tmp_path / "rows")
    assert [path.name for path in tmp_path.iterdir()] == ["rows"]


def test_a_write_in_progress_is_not_a_leftover(tmp_path: Path, stuck) -> None:
    before = leftovers(tmp_path)
    write(tmp_path / "rows")
    assert leftovers(tmp_path) == before


def test_what_was_left_of_other_files_stays(tmp_path: Path) -> None:
    others = [".rows.txt.0123abcd.part", ".rows.part", ".rows.0123abcd", "rows.0123abcd.part"]
    for name in others:
        (tmp_path / name).touch()
    write(tmp_path / "rows")
    assert {path.name for path in tmp_path.iterdir()} == {*others, "rows"}


def test_two_writes_of_one_file_at_once_both_succeed(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with open_write(path) as first, open_write(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"
    assert not leftovers(tmp_path)
