"""The page on design names files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "explanation" / "design.md").read_text()
NAMED = re.findall(r"`((?:src|core|tests|benchmarks|docs)/[^`]*|pyproject\.toml)`", PAGE)


def test_every_file_that_the_design_page_names_exists() -> None:
    assert len(NAMED) > 50
    assert [name for name in NAMED if not (ROOT / name).exists()] == []


def test_every_step_of_the_pipeline_is_on_the_design_page() -> None:
    folders = {"trees", "training", "model", "calibration", "online", "storage", "estimators"}
    named = {name.split("/")[2] for name in NAMED if name.startswith("src/labeltree/")}
    assert folders <= named
