"""Take pictures of pages of the built site: light, dark and at the width of a phone.

    make docs-screenshots
    python docs/screenshots.py index.html tutorial.html --whole
    python docs/screenshots.py --lengths    # no pictures: pages that are too long or too wide

Pages are opened from disk. A request to another host, or a script that fails, is an error.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SITE = ROOT / "build" / "site"
OUTPUT = ROOT / "build" / "screenshots"
PAGES = (
    "index.html",
    "tutorial.html",
    "how-to/index.html",
    "how-to/rare-labels.html",
    "explanation/theory.html",
    "reference/estimators.html",
    "reference/plot.html",
)
#: Width and height in CSS pixels, and the color scheme.
LOOKS = {
    "light": ((1440, 900), "light"),
    "dark": ((1440, 900), "dark"),
    "phone": ((390, 844), "light"),
    "phone-dark": ((390, 844), "dark"),
}
#: Screens that pages are measured on, and whether a page may be longer than MAX_SCREENS there.
SCREENS = {(1440, 900): False, (1280, 800): False, (390, 844): True}
MAX_SCREENS = 3.0
#: Pages that may be longer: what people look up or read at length.
LONG = ("reference/", "notebooks/", "explanation/theory", "explanation/cost-and-accuracy")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def shots(
    browser: Any, pages: list[str], mistakes: list[str], *, is_whole: bool
) -> Iterator[tuple[Path, float]]:
    """Yield the file of each picture, and the length of the page in screens."""
    for look, ((width, height), scheme) in LOOKS.items():
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        for page in pages:
            opened = context.new_page()
            watch(opened, mistakes)
            opened.goto((SITE / page).as_uri())
            opened.wait_for_timeout(400)  # milliseconds, until fonts and colors are settled
            file = OUTPUT / f"{page.removesuffix('.html').replace('/', '-')}-{look}.png"
            opened.screenshot(path=file, full_page=is_whole)
            article = opened.locator("article").bounding_box()
            yield file, article["height"] / height
            opened.close()


def too_large(browser: Any, mistakes: list[str]) -> Iterator[str]:
    """Yield a line for each page that is too long, or wider than the screen."""
    pages = sorted(path for path in SITE.rglob("*.html") if path.name != "404.html")
    for (width, height), may_be_long in SCREENS.items():
        opened = browser.new_page(viewport={"width": width, "height": height})
        watch(opened, mistakes)
        for path in pages:
            name = path.relative_to(SITE).as_posix()
            opened.goto(path.as_uri())
            screens = opened.locator("article").bounding_box()["height"] / height
            if screens > MAX_SCREENS and not may_be_long and not name.startswith(LONG):
                yield f"{name}: {screens:.1f} screens of {width} x {height}"
            if (wide := opened.evaluate("document.documentElement.scrollWidth")) > width:
                yield f"{name}: {wide} pixels wide on a screen of {width}"
        opened.close()


def watch(page: Any, mistakes: list[str]) -> None:
    """Record what the page asks for that is not on disk, and scripts that fail."""
    page.on("request", lambda asked: _check_address(asked.url, mistakes))
    page.on("requestfailed", lambda asked: mistakes.append(f"{asked.url} is missing"))
    page.on("pageerror", lambda error: mistakes.append(str(error)))


def _check_address(url: str, mistakes: list[str]) -> None:
    if not url.startswith(("file:", "data:")):
        mistakes.append(f"{url} is on another host")


def main() -> None:
    """Take the pictures of the pages on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", default=PAGES, help="files below build/site")
    parser.add_argument("--whole", action="store_true", help="whole pages, not the first screen")
    parser.add_argument("--lengths", action="store_true", help="measure pages, no pictures")
    asked = parser.parse_args()
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("no Chromium found; on Debian: apt install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    OUTPUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        mistakes: list[str] = []
        if asked.lengths:
            print(*too_large(browser, mistakes), sep="\n")
        else:
            for file, screens in shots(browser, asked.pages, mistakes, is_whole=asked.whole):
                print(f"{file.relative_to(ROOT)}: {screens:.1f} screens")
        browser.close()
    if mistakes:
        sys.exit("\n".join(dict.fromkeys(mistakes)))


if __name__ == "__main__":
    main()
