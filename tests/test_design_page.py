"""The pages on design name files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("design.md", "same-bits.md", "extending.md")
TEXT = "".join((ROOT / "docs" / "explanation" / page).read_text() for page in PAGES)
NAMED = re.findall(r"`([\w/]+/[\w./]*|pyproject\.toml)`", TEXT)
PLACES = (ROOT, ROOT / "src" / "labeltree")


def test_every_file_that_the_design_pages_name_exists() -> None:
    assert len(NAMED) > 50
    assert [name for name in NAMED if not any((place / name).exists() for place in PLACES)] == []


def test_every_step_of_the_pipeline_is_on_the_design_pages() -> None:
    folders = {"trees", "training", "model", "calibration", "online", "storage", "estimators"}
    named = {name.removeprefix("src/labeltree/").split("/")[0] for name in NAMED}
    assert folders <= named
