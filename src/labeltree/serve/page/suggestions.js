// The list of suggested labels, and of labels that the person chose beside them.

import { choices, keyOf, verdictOf } from "./choices.js";
import { element, find, percent } from "./shown.js";

let rows = new Map(); // by key; kept, so that bars move and the focus stays

/** Show labels with probabilities, best first; `chosen` is the key of the explained one. */
export function list(tags, chosen, takesFeedback) {
  const keys = new Set(tags.map(({ label }) => keyOf(label)));
  const others = choices().filter(({ label }) => !keys.has(keyOf(label)));
  const focused = document.activeElement;
  const before = rows;
  rows = new Map();
  for (const { label, probability } of [...tags, ...others]) {
    const key = keyOf(label);
    const row = before.get(key) ?? makeRow(label);
    rows.set(key, row);
    update(row, probability, verdictOf(key), takesFeedback);
    row.firstChild.ariaCurrent = key === chosen;
  }
  const made = [...rows.values()];
  const { children } = find("list");
  if (made.length === children.length && made.every((row, i) => row === children[i])) return;
  find("list").replaceChildren(...made);
  focused.focus(); // moving an element takes the focus from it
}

function makeRow(label) {
  const pick = element(
    "button",
    { className: "pick" },
    element("span", { className: "name" }, String(label)),
    element("span", {}),
    element("span", { className: "bar" }),
  );
  const accept = element("button", { className: "accept", ariaLabel: `Accept ${label}` }, "✓");
  const row = element("li", {}, pick, accept, element("button", { className: "reject" }, "✕"));
  row.label = label;
  return row;
}

function update(row, probability, verdict, takesFeedback) {
  const [pick, accept, reject] = row.children;
  const [, figure, bar] = pick.children;
  const isAdded = verdict === "added";
  row.dataset.verdict = verdict ?? "";
  figure.textContent = probability === undefined ? verdict : percent(probability);
  bar.style.setProperty("--share", probability ?? 0);
  accept.hidden = !takesFeedback || isAdded;
  reject.hidden = !takesFeedback;
  accept.ariaPressed = verdict === "accepted";
  reject.ariaPressed = verdict === "rejected";
  reject.ariaLabel = `${isAdded ? "Remove" : "Reject"} ${row.label}`;
}

/** Return the row of an element within the list. */
export const rowOf = (target) => target.closest("#list > li");

export const focusRow = (row) => row?.firstChild.focus();
