// The page of `labeltree serve`: what happens when. The other files show its parts.

import * as feedback from "./choices.js";
import { follow, highlight, parseRow } from "./editor.js";
import { ask, keep, kept, takeToken } from "./server.js";
import { announce, count, element, find, plural } from "./shown.js";
import { focusRow, list, rowOf } from "./suggestions.js";
import { chooseTree, evidences, explain, totals } from "./why.js";

const PAUSE = 120; // milliseconds without typing before the server is asked
const QUIET = 1200; // before suggestions are announced
const N_FEATURES = 30; // per step, of which the largest sums are shown
const text = find("text");

let card;
let tags = [];
let chosen = null; // key of the explained label
let asking = new AbortController(); // of the latest question, whose answer is the one to show
let retry; // what to do again after a problem
let pause, quiet; // timers

const isText = () => card.takes === "text";
const takesFeedback = () => card.takes_feedback && isText();

async function start() {
  const { models } = await ask("v1/models");
  find("models").hidden = models.length < 2;
  find("model").replaceChildren(...models.map((name) => element("option", {}, name)));
  find("model").value = models.includes(kept("model")) ? kept("model") : models[0];
  find("k").value = kept("k", 5);
  find("threshold").value = kept("threshold", 0);
  await openModel();
  text.focus();
}

async function openModel() {
  await readCard();
  feedback.open(card.name);
  text.value = kept(card.takes, "");
  document.querySelector("main").inert = false;
  clearSuggestions();
  changed();
}

async function readCard() {
  card = await ask(`v1/model?model=${encodeURIComponent(find("model").value)}`);
  keep("model", card.name);
  document.title = `${card.name} · labeltree`;
  find("summary").textContent = `${card.name} · ${plural(card.n_labels, "label")}`;
  find("kind").textContent = isText() ? "Text" : "Row of features";
  text.placeholder = isText() ? "Type or paste a text" : "0:1.5 3:0.2";
  find("calibration").hidden = card.is_calibrated;
  find("feedback").hidden = !takesFeedback();
  const pair = ([name, value]) => [element("dt", {}, name), element("dd", {}, value)];
  find("card").replaceChildren(...Object.entries(facts()).flatMap(pair));
}

function facts() {
  const shape = ({ n_nodes, depth }) => `${plural(n_nodes, "node")}, depth ${depth}`;
  return {
    Labels: count(card.n_labels),
    Features: count(card.n_features),
    "Pairs of features": count(card.n_interactions),
    "Training rows": count(card.n_rows),
    Trees: card.trees.map(shape).join("; "),
    Probabilities: card.is_calibrated ? "calibrated" : "not calibrated on validation rows",
    Feedback: card.takes_feedback ? "on, for texts" : "off; start the server with --feedback FILE",
    File: `${(card.n_bytes / 1e6).toFixed(1)} MB`,
    Version: card.version,
  };
}

/** The text, the model or a setting changed: ask soon, and only once. */
function changed() {
  const threshold = find("threshold").value;
  keep(card.takes, text.value);
  keep("k", find("k").value);
  keep("threshold", threshold);
  document.querySelector("output").textContent = find("threshold").ariaValueText = `${threshold}%`;
  find("size").textContent = isText() ? plural([...text.value].length, "character") : "";
  follow(text.value);
  feedback.showSaving(text.value);
  begin();
  pause = setTimeout(attempt, PAUSE, suggest);
}

/** Do something that may fail, and show the problem if it does. */
async function attempt(action) {
  try {
    await action();
    find("problem").hidden = true;
  } catch (problem) {
    if (problem.name === "AbortError") return;
    if (problem.status === undefined) throw problem; // a mistake of the page
    retry = action;
    complain(problem);
  }
}

function complain({ message, status, seconds }) {
  if (status === 422 && !isText()) return showHint(message);
  find("token-form").hidden = status !== 401;
  if (status === 401) return find("token").focus();
  // Beside its button, `save` says what failed. Sent again unasked, feedback might be there twice.
  if (retry === save) return;
  const again = seconds ? ` Trying again in ${plural(seconds, "second")}.` : "";
  const shown = find("problem").firstChild;
  if (shown.textContent !== message + again) shown.textContent = message + again; // said once
  find("problem").hidden = false;
  if (seconds) pause = setTimeout(attempt, seconds * 1000, retry);
}

/** Say below the field what a row of features looks like, or what is wrong with it. */
function showHint(wrong) {
  const help =
    `This model takes ${count(card.n_features)} numbers. Write columns, from 0, with values, ` +
    `such as 0:1.5 3:0.2, or all values in brackets.`;
  find("hint").textContent = wrong ?? (isText() ? "" : help);
  find("hint").classList.toggle("wrong", Boolean(wrong));
}

/** Return the input as requests have it; undefined if there is none. */
function input() {
  showHint();
  if (!text.value.trim()) return;
  if (isText()) return { text: text.value };
  try {
    return { features: parseRow(text.value).row };
  } catch (error) {
    showHint(error.message);
  }
}

/** Begin a question that replaces the one before. */
function begin() {
  clearTimeout(pause);
  asking.abort();
  asking = new AbortController();
}

async function askModel(path, asked) {
  const { signal } = asking;
  const answer = await ask(path, { ...asked, model: card.name }, signal);
  if (answer.version !== card.version) {
    await readCard();
    signal.throwIfAborted();
    find("notice").hidden = false;
    announce("The model was updated.");
  }
  return answer;
}

async function suggest() {
  begin();
  const given = input();
  if (!given) return clearSuggestions();
  const one = isText() ? given : { features: [given.features] };
  const k = Math.max(parseInt(find("k").value) || 5, 1);
  const answer = await askModel("v1/tag", { ...one, k, threshold: find("threshold").value / 100 });
  [tags] = answer.results;
  const keys = tags.map(({ label }) => feedback.keyOf(label));
  if (!keys.includes(chosen) && !feedback.verdictOf(chosen)) chosen = keys[0] ?? null;
  showList();
  clearTimeout(quiet);
  const names = tags.map(({ label }) => label).join(", ");
  quiet = setTimeout(announce, QUIET, `${plural(tags.length, "suggestion")}: ${names}`);
  await explainChosen(given);
}

function clearSuggestions() {
  [tags, chosen] = [[], null];
  showList();
  clearWhy();
}

function clearWhy() {
  find("why").hidden = find("legend").hidden = true;
  highlight(text.value, []);
}

function showList() {
  list(tags, chosen, takesFeedback());
  find("empty").hidden = find("list").children.length > 0;
  find("empty").textContent = text.value.trim()
    ? "No label is this probable."
    : "Suggestions appear here while you type.";
}

async function explainChosen(given) {
  if (chosen === null) return clearWhy();
  const label = JSON.parse(chosen);
  if (feedback.verdictOf(chosen) === "added") return clearWhy(); // the model may not know it
  const answer = await askModel("v1/explain", { ...given, label, top_features: N_FEATURES });
  explain(answer, isText());
  highlight(text.value, isText() ? answer.highlights : featureHighlights(answer));
  find("legend").hidden = false;
  find("legend-label").textContent = label;
}

function featureHighlights({ explanation }) {
  const all = totals(evidences(explanation.paths.flatMap(({ steps }) => steps)));
  const byFeature = new Map(all.map(({ feature, contribution }) => [feature, contribution]));
  const { places } = parseRow(text.value);
  return places.map((place) => ({ ...place, contribution: byFeature.get(place.feature) ?? 0 }));
}

/** Explain the label of a row. */
function pick(row) {
  if (!row || feedback.keyOf(row.label) === chosen) return;
  chosen = feedback.keyOf(row.label);
  showList();
  attempt(explainAgain);
}

async function explainAgain() {
  begin();
  const given = input();
  if (given) await explainChosen(given);
}

function decide(row, verdict) {
  if (!takesFeedback()) return;
  const next = row.previousSibling ?? row.nextSibling;
  choose(row.label, row.dataset.verdict === "added" ? "added" : verdict);
  if (!row.isConnected) focusRow(next);
}

function choose(label, verdict) {
  feedback.choose(label, verdict, text.value);
  feedback.showSaving(text.value);
  showList();
}

function addLabel(event) {
  event.preventDefault();
  const written = find("add-label").value.trim();
  find("add-label").value = "";
  if (!written) return;
  const tag = tags.find(({ label }) => String(label) === written);
  const isNumber = typeof tags[0]?.label === "number" && isFinite(written);
  const label = tag?.label ?? (isNumber ? Number(written) : written);
  const verdict = tag ? "accepted" : "added";
  if (feedback.verdictOf(feedback.keyOf(label)) !== verdict) choose(label, verdict);
}

async function save() {
  try {
    await feedback.save(text.value);
  } finally {
    feedback.showSaving(text.value);
  }
}

function clear() {
  if (feedback.isUnsaved() && !confirm("Discard your choices, which are not saved?")) return;
  feedback.discard();
  text.value = "";
  changed();
  text.focus();
}

function onKey(event) {
  const { key, target } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(save);
  if (event.ctrlKey || event.metaKey || event.altKey || find("help").open) return;
  const isField = target.matches("input, textarea, select");
  const action = isField ? target === text && textKeys[key] : pageKeys[key] ?? listKeys[key];
  const row = rowOf(target);
  if (!action || (key in listKeys && !row)) return;
  event.preventDefault();
  action(row);
}

const explained = () => document.querySelector("[aria-current=true]")?.parentNode;
const textKeys = { Escape: () => focusRow(explained()) };
const pageKeys = { "/": () => text.focus(), "?": () => find("help").showModal() };
// Letters work within the list only, where they cannot surprise.
const listKeys = {
  ArrowDown: (row) => focusRow(row.nextSibling),
  ArrowUp: (row) => focusRow(row.previousSibling),
  a: (row) => decide(row, "accepted"),
  r: (row) => decide(row, "rejected"),
};

function onListClick({ target }) {
  const row = rowOf(target);
  pick(row); // Safari does not focus buttons that are clicked
  if (target.matches(".accept")) decide(row, "accepted");
  if (target.matches(".reject")) decide(row, "rejected");
}

function onToken(event) {
  event.preventDefault();
  keep("token", find("token").value.trim());
  find("token-form").hidden = true;
  attempt(retry);
}

const on = (id, type, listener) => find(id).addEventListener(type, listener);
on("text", "input", feedback.edited);
on("text", "input", changed);
on("k", "input", changed);
on("threshold", "input", changed);
on("model", "change", () => attempt(openModel));
on("tree", "change", (event) => chooseTree(Number(event.target.value)));
on("list", "focusin", (event) => pick(rowOf(event.target)));
on("list", "click", onListClick);
on("add", "submit", addLabel);
on("save", "click", () => attempt(save));
on("clear", "click", clear);
on("retry", "click", () => attempt(retry));
on("dismiss", "click", () => (find("notice").hidden = true));
on("token-form", "submit", onToken);
on("help-button", "click", () => find("help").showModal());
addEventListener("keydown", onKey);
addEventListener("hashchange", () => location.reload()); // a new token
addEventListener("beforeunload", (event) => feedback.isUnsaved() && event.preventDefault());
takeToken();
attempt(start);
