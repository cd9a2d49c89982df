// What a person thinks of the labels of a text, until the server has it on disk.

import { announce, find, plural } from "./shown.js";
import { ask, keep, kept } from "./server.js";

/** Return what identifies a label: 1 and "1" are two. */
export const keyOf = (label) => JSON.stringify(label);

let model;
let byKey = new Map(); // {label, verdict} by key; verdicts are accepted, rejected and added
let text = ""; // that the choices were made for
let state = ""; // "", saving, saved or failed
let reason = "";

export const choices = () => [...byKey.values()];
export const verdictOf = (key) => byKey.get(key)?.verdict;
export const isUnsaved = () => byKey.size > 0 && state !== "saved";

/** Go on with the choices of a model that were not saved. */
export function open(name) {
  model = name;
  const draft = kept(`choices ${name}`, { text: "", list: [] });
  byKey = new Map(draft.list.map((choice) => [keyOf(choice.label), choice]));
  [text, state] = [draft.text, ""];
}

/** Choose a label; the same choice again undoes it. */
export function choose(label, verdict, current) {
  if (state === "saving") return;
  const key = keyOf(label);
  if (verdictOf(key) === verdict) byKey.delete(key);
  else byKey.set(key, { label, verdict });
  announce(`${label}: ${verdictOf(key) ?? "no choice"}`);
  [text, state] = [current, ""];
  write();
}

export function discard() {
  byKey = new Map();
  state = "";
  write();
}

/** After the text was edited, choices that are saved belong to the text before. */
export const edited = () => state === "saved" && discard();

const write = () => keep(`choices ${model}`, { text, list: isUnsaved() ? choices() : [] });

/** Send all choices as one message: together they are the labels of the text. */
export async function save(current) {
  if (!isUnsaved() || state === "saving") return;
  state = "saving";
  showSaving(current);
  const sent = byKey;
  const message = { text: current, model, accepted: [], rejected: [], added: [] };
  for (const { label, verdict } of choices()) message[verdict].push(label);
  try {
    await ask("v1/feedback", message);
    if (byKey === sent) [state, text] = ["saved", current];
  } catch (problem) {
    if (byKey === sent) [state, reason] = ["failed", problem.message];
    throw problem;
  } finally {
    write();
  }
}

export function showSaving(current) {
  find("save").disabled = !isUnsaved() || state === "saving";
  find("save").textContent = state === "failed" ? "Save again" : "Save feedback";
  const n = plural(byKey.size, "choice");
  const isOld = text !== current;
  const open = isOld ? `${n} from before the text changed. Still right?` : `${n}, not saved yet`;
  const words = { saving: "Saving…", saved: `Saved ${n}`, failed: `Not saved. ${reason}` };
  find("save-state").className = `muted ${state}`;
  find("save-state").textContent = words[state] ?? (byKey.size ? open : "");
}
