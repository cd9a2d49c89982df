"""The page of `labeltree serve` in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.servers import HOSTILE, Server, save_classifier, save_tagger

pytest.importorskip("uvicorn", reason='needs pip install "labeltree[serve]"')
_api = pytest.importorskip("playwright.sync_api", reason="run by make test-browser")
expect: Any = _api.expect

Opener = Callable[..., Any]


def _names(page: Any) -> Any:
    return page.locator("#list .name")


def _row(page: Any, label: str) -> Any:
    return page.locator("#list li", has=page.get_by_text(label, exact=True))


def _records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_labels_appear_while_typing(page: Any) -> None:
    page.locator("#text").press_sequentially("espresso coffee", delay=20)
    expect(_names(page).filter(has_text="coffee")).to_be_visible()
    expect(page.locator("#list li")).to_have_count(5)


def test_labels_are_as_many_and_as_probable_as_asked(page: Any) -> None:
    page.fill("#text", "espresso coffee")
    page.fill("#k", "2")
    expect(_names(page)).to_have_count(2)
    page.fill("#threshold", "95")
    expect(page.locator("#empty")).to_have_text("No label is this probable.")


def test_the_latest_text_wins(page: Any) -> None:
    page.route("**/v1/tag", lambda route: _late(route, "tea"))
    page.fill("#text", "black tea")
    page.wait_for_timeout(300)
    page.fill("#text", "rye bread with butter")
    expect(_names(page).first).to_have_text("bread")
    page.wait_for_timeout(1500)
    expect(_names(page).first).to_have_text("bread")


def _late(route: Any, word: str) -> None:
    """Hold the answer for a text with this word back until others are there."""
    if word in route.request.post_data:
        route.request.frame.page.wait_for_timeout(1000)
    route.continue_()


def test_an_explanation_shows_the_path_and_what_it_cost(page: Any) -> None:
    page.fill("#text", "espresso coffee beans")
    _row(page, "coffee").locator(".pick").click()
    expect(page.locator("#why-title")).to_have_text("Why “coffee”")
    levels = page.locator("#icicle .level")
    expect(levels.first).to_contain_text("All 7 labels")
    expect(levels.last.locator(".node").first).to_contain_text("coffee")
    expect(page.locator("#icicle .miss").first).to_be_visible()
    expect(page.locator("#words")).to_contain_text("espresso")
    expect(page.locator("#cost")).to_contain_text("classifiers evaluated")
    expect(page.locator("#cost")).to_contain_text("Theorem 6")


def test_a_step_shows_its_own_words(page: Any) -> None:
    page.fill("#text", "espresso coffee beans")
    step = page.locator("#icicle button").last
    step.click()
    expect(page.locator("#words-title")).to_contain_text("in step")
    expect(page.locator("#sum")).to_contain_text("log-odds")
    expect(page.locator("#icicle button[aria-pressed=true]")).to_be_focused()


def test_words_are_marked_by_sign_and_not_by_color_alone(page: Any) -> None:
    page.fill("#text", "espresso coffee beans and rye bread")
    _row(page, "coffee").locator(".pick").click()
    pro = page.locator("#mirror mark.for", has_text="espresso")
    con = page.locator("#mirror mark.against", has_text="bread")
    expect(pro).to_have_css("text-decoration-style", "solid")
    expect(con).to_have_css("text-decoration-style", "dashed")


def test_marks_lie_behind_their_words_in_texts_beyond_ascii(page: Any) -> None:
    page.fill("#text", "𝔊𝔯𝔞𝔶 🍵 – ☕ espresso\n\ncoffee")
    expect(page.locator("#mirror mark", has_text="espresso")).to_have_text("espresso")
    text, mirror = page.locator("#text"), page.locator("#mirror")
    assert text.bounding_box() == mirror.bounding_box()


def test_marks_follow_their_words_while_typing(page: Any) -> None:
    page.fill("#text", "espresso coffee")
    mark = page.locator("#mirror mark", has_text="coffee")
    expect(mark).to_be_visible()
    page.route("**/v1/tag", lambda route: None)  # no answer comes
    page.locator("#text").press("Home")
    page.locator("#text").press_sequentially("hot ")
    expect(mark).to_have_text("coffee")


def test_feedback_arrives_in_the_file(page: Any, feedback: Path) -> None:
    text = "espresso coffee for feedback"
    page.fill("#text", text)
    _row(page, "coffee").get_by_role("button", name="Accept coffee").click()
    _row(page, "milk").get_by_role("button", name="Reject milk").click()
    page.get_by_label("Another label").fill("breakfast")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#save-state")).to_have_text("3 choices, not saved yet")
    page.get_by_role("button", name="Save feedback").click()
    expect(page.locator("#save-state")).to_have_text("Saved 3 choices")
    record = _records(feedback)[-1]
    found = {name: record[name] for name in ("text", "tags", "rejected", "added")}
    assert found == {
        "text": text,
        "tags": ["coffee", "breakfast"],
        "rejected": ["milk"],
        "added": ["breakfast"],
    }


def test_choices_survive_reloading_the_page(page: Any) -> None:
    page.fill("#text", "espresso coffee")
    _row(page, "coffee").locator(".accept").click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("#text")).to_have_value("espresso coffee")
    accept = _row(page, "coffee").locator(".accept")
    expect(accept).to_have_attribute("aria-pressed", "true")


def test_the_token_leaves_the_address(page: Any, server: Server) -> None:
    expect(page).to_have_url(server.address)


def test_nothing_is_lost_when_the_server_ends(
    serve: Opener, open_page: Opener, server: Server, folder: Path, tmp_path: Path
) -> None:
    arguments = [str(folder / "drinks.lt"), f"--feedback={tmp_path / 'feedback.jsonl'}"]
    first = serve(*arguments)
    page = open_page(first)
    page.fill("#text", "espresso coffee")
    _row(page, "coffee").locator(".accept").click()
    first.stop()
    page.get_by_role("button", name="Save feedback").click()
    expect(page.locator("#save-state")).to_contain_text("Not saved. The server cannot be reached.")
    page.fill("#text", "espresso coffee beans")
    expect(page.get_by_role("alert")).to_contain_text("Your text and choices stay here.")
    expect(_row(page, "coffee").locator(".accept")).to_have_attribute("aria-pressed", "true")

    second = serve(*arguments, port=first.port)
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Save again").click()
    page.locator("#token").fill(second.token)  # each start has another
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#save-state")).to_have_text("Saved 1 choice")
    assert [record["tags"] for record in _records(tmp_path / "feedback.jsonl")] == [["coffee"]]


def test_a_busy_server_is_asked_again(page: Any) -> None:
    problem = json.dumps({"detail": "the server is busy; try again"})
    headers = {"Retry-After": "1"}
    busy = {"status": 503, "headers": headers, "body": problem}
    page.route("**/v1/tag", lambda route: route.fulfill(**busy), times=1)
    page.fill("#text", "espresso coffee")
    expect(page.get_by_role("alert")).to_contain_text("busy; try again. Trying again in 1 second.")
    expect(_names(page).first).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_text_that_is_too_long_is_said_so(
    serve: Opener, open_page: Opener, server: Server, folder: Path
) -> None:
    page = open_page(serve(str(folder / "drinks.lt"), "--max-body=2000"))
    page.fill("#text", "coffee " * 400)
    expect(page.get_by_role("alert")).to_contain_text("This is too long.")
    page.fill("#text", "coffee")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_hostile_label_is_shown_as_text(page: Any) -> None:
    page.fill("#text", "a poisoned letter")
    expect(_names(page).first).to_have_text(HOSTILE)
    expect(page.locator("#why-title")).to_have_text(f"Why “{HOSTILE}”")
    _row(page, HOSTILE).locator(".accept").click()
    page.wait_for_timeout(300)
    assert page.locator("img[src=x]").count() == 0
    expect(page).to_have_title("drinks · labeltree")


def test_a_hostile_text_is_shown_as_text(page: Any) -> None:
    text = f"coffee {HOSTILE}"
    page.fill("#text", text)
    expect(page.locator("#mirror mark", has_text="coffee")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0


def test_keys_alone_suffice(page: Any, feedback: Path) -> None:
    text = "green tea by keyboard"
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type(text)
    expect(_names(page).first).to_be_visible()
    expect(page.locator("#why")).to_be_visible()
    page.keyboard.press("Escape")
    labels = _names(page).all_text_contents()
    expect(page.locator("#list .pick").first).to_be_focused()
    page.keyboard.press("a")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#why-title")).to_have_text(f"Why “{labels[1]}”")
    page.keyboard.press("r")
    page.keyboard.press("/")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#save-state")).to_have_text("Saved 2 choices")
    record = _records(feedback)[-1]
    assert (record["text"], record["tags"], record["rejected"]) == (text, labels[:1], labels[1:2])


def test_help_lists_the_keys(page: Any) -> None:
    page.get_by_role("button", name="Keys").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_every_control_has_a_name(page: Any) -> None:
    page.fill("#text", "green tea")
    expect(page.locator("#why")).to_be_visible()
    for control in page.locator("button:visible, input:visible, textarea, select:visible").all():
        expect(control).to_have_accessible_name(re.compile(r"\w"))


def test_suggestions_are_announced(page: Any) -> None:
    page.fill("#text", "green tea")
    expect(page.locator("#live")).to_contain_text("5 suggestions:")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(open_page: Opener, server: Server, scheme: str) -> None:
    page = open_page(server, color_scheme=scheme)
    page.fill("#text", "green tea and bread")
    expect(page.locator("#why")).to_be_visible()
    for selector in (".muted", "#list .name", "#words .name", ".miss", "#text", "h2"):
        assert page.locator(selector).first.evaluate(_CONTRAST) >= 4.5, selector


#: The contrast of an element with the first opaque background below it (WCAG 2).
_CONTRAST = """element => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let below = element;
  while ((rgb(getComputedStyle(below).backgroundColor)[3] ?? 1) < 1) below = below.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(below).backgroundColor]
    .map(color => light(rgb(color)) + 0.05);
  return Math.max(a, b) / Math.min(a, b);
}"""


def test_dark_is_dark(open_page: Opener, server: Server) -> None:
    page = open_page(server, color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 23, 27)")


# A window of 1280 pixels at a zoom of 400 % has 320.
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_nothing_is_cut_off(open_page: Opener, server: Server, width: int) -> None:
    page = open_page(server, viewport={"width": width, "height": 700})
    page.fill("#text", "a poisoned letter with green tea")
    expect(page.locator("#why")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_reload_of_the_model_is_said(serve: Opener, open_page: Opener, tmp_path: Path) -> None:
    path = tmp_path / "news.lt"
    page = open_page(serve(save_tagger(path), "--reload-seconds=0.2"))
    page.fill("#text", "green tea")
    expect(_names(page).first).to_be_visible()
    expect(page.locator("#notice")).to_be_hidden()
    rows = [("green tea", ["leaf"]), ("coffee", ["bean"]), ("milk", ["cow"])]
    save_tagger(path, rows=rows)
    for _ in range(100):
        page.locator("#text").press_sequentially(" tea")
        page.wait_for_timeout(300)
        if page.locator("#notice").is_visible():
            break
    expect(page.locator("#notice")).to_contain_text("The model was updated.")
    expect(page.locator("#summary")).to_have_text("news · 3 labels")
    expect(_names(page).first).to_have_text("leaf")


def test_a_server_without_feedback_offers_none(
    serve: Opener, open_page: Opener, server: Server, folder: Path
) -> None:
    page = open_page(serve(str(folder / "drinks.lt")))
    page.fill("#text", "green tea")
    expect(_names(page).first).to_be_visible()
    expect(page.locator(".accept").first).to_be_hidden()
    expect(page.locator("#feedback")).to_be_hidden()


def test_several_models_are_a_choice(
    serve: Opener, open_page: Opener, server: Server, folder: Path, tmp_path: Path
) -> None:
    numbers = save_classifier(tmp_path / "numbers.lt")
    page = open_page(serve(str(folder / "drinks.lt"), numbers))
    page.fill("#text", "green tea")
    expect(_names(page).first).to_be_visible()
    page.get_by_role("combobox", name="Model").select_option("numbers")
    expect(page.locator("#summary")).to_have_text("numbers · 6 labels")
    expect(page.locator("#text")).to_have_value("")
    page.get_by_role("combobox", name="Model").select_option("drinks")
    expect(page.locator("#text")).to_have_value("green tea")
    expect(_names(page).filter(has_text="tea")).to_be_visible()


def test_a_model_of_numbers_takes_rows(serve: Opener, open_page: Opener, tmp_path: Path) -> None:
    page = open_page(serve(save_classifier(tmp_path / "numbers.lt")))
    expect(page.locator("#hint")).to_contain_text("This model takes 20 numbers.")
    page.fill("#text", "0:3 5:x")
    expect(page.locator("#hint")).to_have_text("5:x is not like 12:0.5.")
    page.fill("#text", "0:3 5:2 7:4")
    expect(page.locator("#list li")).to_have_count(5)
    expect(page.locator("#words")).to_contain_text("x[7]")
    expect(page.locator("#mirror mark").first).to_be_visible()
    sparse = page.locator("#list").inner_text()
    page.fill("#text", "[1, 2]")
    expect(page.locator("#hint")).to_contain_text("20 numbers, but has 2")
    page.fill("#text", json.dumps([{0: 3, 5: 2, 7: 4}.get(i, 0) for i in range(20)]))
    expect(page.locator("#hint")).to_contain_text("This model takes 20 numbers.")
    assert page.locator("#list").inner_text() == sparse


def test_each_tree_has_its_path(serve: Opener, open_page: Opener, tmp_path: Path) -> None:
    page = open_page(serve(save_tagger(tmp_path / "forest.lt", n_trees=2)))
    page.fill("#text", "green tea")
    expect(page.locator("#basis")).to_contain_text("the mean of 2 trees")
    page.get_by_role("combobox", name="Tree").select_option("1")
    expect(page.locator("#tree")).to_have_value("1")
    expect(page.locator("#icicle .level").first).to_contain_text("All 7 labels")


def test_a_wrong_token_is_asked_for(open_page: Opener, server: Server, feedback: Path) -> None:
    page = open_page(server)
    page.evaluate("sessionStorage['labeltree token'] = '\"wrong\"'")
    page.fill("#text", "green tea with a token")
    _row(page, "tea").locator(".accept").click()
    page.get_by_role("button", name="Save feedback").click()
    expect(page.locator("#token")).to_be_focused()
    page.locator("#token").fill(server.token)
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("Saved 1 choice")
    assert _records(feedback)[-1]["text"] == "green tea with a token"


def test_a_server_with_a_token_asks_for_it_first(
    serve: Opener, open_page: Opener, server: Server, folder: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token.txt"
    token.write_text("open sesame")
    page = open_page(serve(str(folder / "drinks.lt"), f"--token-file={token}"))
    expect(page.locator("#token")).to_be_focused()
    page.keyboard.type("open barley")
    page.keyboard.press("Enter")
    expect(page.locator("#token")).to_be_focused()
    page.locator("#token").fill("open sesame")
    page.keyboard.press("Enter")
    expect(page.locator("#token")).to_be_hidden()
    page.fill("#text", "green tea")
    expect(_names(page).first).to_be_visible()
