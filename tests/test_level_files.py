"""Files that are compiled for one level of instructions share no code with the rest.

The linker keeps one copy of an inline function or template. If that copy is compiled for a higher
level, processors without it stop with an illegal instruction.
"""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CMAKE = (ROOT / "CMakeLists.txt").read_text()
COMPILERS = [name for name in ("g++", "clang++", "clang++-14") if shutil.which(name)]

pytestmark = pytest.mark.skipif(
    not COMPILERS or shutil.which("nm") is None or platform.machine() != "x86_64",
    reason="needs a compiler and nm for x86-64",
)


def options(level: str) -> list[str]:
    found = re.search(rf"set\(V{level} (.+)\)", CMAKE)
    assert found is not None
    return [o for word in found[1].split() for o in (options("3") if word == "${V3}" else [word])]


def global_symbols(compiler: str, source: Path, extra: list[str], target: Path) -> list[str]:
    """Return the names that other files can see, of all definitions in the source."""
    flags = ["-std=c++20", "-march=x86-64-v2", *extra, "-Wno-psabi", f"-I{ROOT / 'core'}"]
    subprocess.run([compiler, *flags, "-c", str(source), "-o", str(target)], check=True)
    listed = ["nm", "-C", "--defined-only", "--extern-only", str(target)]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    return [line.split(maxsplit=2)[2] for line in found.splitlines()]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("optimization", ["-O0", "-O1"])
@pytest.mark.parametrize(
    ("file", "level", "name"),
    [
        ("train/solver_v3.cpp", "3", "solver_loops_v3"),
        ("train/solver_v4.cpp", "4", "solver_loops_v4"),
        ("base/xxh3_v3.cpp", "3", "xxh3_loop_v3"),
    ],
)
def test_a_level_file_defines_one_name_only(
    file, level, name, optimization, compiler, tmp_path
) -> None:
    extra = [optimization, *options(level)]
    found = global_symbols(compiler, ROOT / "core" / file, extra, tmp_path / "level.o")
    assert found == [f"labeltree::{name}"]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_wide_loops_are_not_shared_between_files(compiler, tmp_path) -> None:
    source = ROOT / "core" / "online" / "online_store.cpp"
    found = global_symbols(compiler, source, ["-O0"], tmp_path / "wide.o")
    assert not [name for name in found if "Wide<" in name]


def test_the_processor_is_asked_for_every_feature_that_is_compiled_for() -> None:
    compiled = {option[2:] for option in options("4") if not option.startswith("-mprefer")}
    source = (ROOT / "core" / "base" / "cpu.cpp").read_text()
    asked = re.findall(r"constexpr unsigned v[34]_bits = ([^;]+);", source)
    assert set(re.findall(r"\w+", " ".join(asked))) - {"v3_bits"} == compiled
