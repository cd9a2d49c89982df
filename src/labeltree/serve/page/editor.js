// The text and its highlights, which lie in a mirror of the text behind it; rows of features.

import { element, find } from "./shown.js";

const FAINT = 0.1; // share of the strongest contribution below which a word is not marked

let spans = []; // {start, end, contribution} in UTF-16 units, by start
let shown = "";

/** Show highlights, whose places are numbers of characters. */
export function highlight(text, highlights) {
  const places = [0];
  for (const character of text) places.push(places.at(-1) + character.length);
  spans = highlights.map((one) => ({ ...one, start: places[one.start], end: places[one.end] }));
  paint(text);
}

/** Show an edited text; a highlight stays with its word, before or after the edit. */
export function follow(text) {
  const shift = text.length - shown.length;
  spans = spans.flatMap(({ start, end, contribution }) => {
    const word = shown.slice(start, end);
    const by = [0, shift].find((by) => text.startsWith(word, start + by));
    return by === undefined ? [] : [{ start: start + by, end: end + by, contribution }];
  });
  paint(text);
}

function paint(text) {
  shown = text;
  const most = Math.max(...spans.map(({ contribution }) => Math.abs(contribution)));
  const parts = [];
  let done = 0;
  for (const { start, end, contribution } of spans) {
    const strength = Math.abs(contribution) / most;
    if (strength < FAINT || start < done) continue;
    const className = contribution > 0 ? "for" : "against";
    const mark = element("mark", { className, "--strength": strength }, text.slice(start, end));
    parts.push(text.slice(done, start), mark);
    done = end;
  }
  // The mirror gives the editor its height, for which an empty last line must have a character.
  find("mirror").replaceChildren(...parts, `${text.slice(done)}\u200b`);
}

/** Return the row that a text writes, and the place of each feature in the text. */
export function parseRow(text) {
  const isList = text.trim().startsWith("[");
  const written = [...text.matchAll(isList ? /[^\s,[\]]+/g : /[^\s,]+/g)];
  const indices = [];
  const values = [];
  const places = written.map(({ index: start, 0: one }, i) => {
    const [, index, value] = isList ? [one, i, one] : /^(\d+):(\S+)$/.exec(one) ?? [];
    if (!isFinite(value)) throw new Error(`${one} is not ${isList ? "a number" : "like 12:0.5"}.`);
    indices.push(Number(index));
    values.push(Number(value));
    return { feature: indices[i], start, end: start + one.length };
  });
  return { row: isList ? values : { indices, values }, places };
}
