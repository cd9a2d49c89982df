// Why a label is suggested: its way down the tree, the words that count, and what it cost.

import { count, element, find, percent, plural, signed } from "./shown.js";

const N_WORDS = 8;
const NARROW = 0.5; // least width of a node, for its text

let why, cost, unit;
let tree = 0;
let step = null; // depth of the chosen step; null for the whole path

/** Show an explanation. The chosen tree and step stay if they can. */
export function explain(answer, isText) {
  ({ explanation: why, cost } = answer);
  unit = isText ? "word" : "feature";
  if (tree >= why.paths.length) tree = 0;
  if (step >= steps().length) step = null;
  show();
}

export function chooseTree(number) {
  tree = number;
  step = null;
  show();
}

const steps = () => why.paths[tree].steps;

/** Return the sum of the listed contributions of each feature, largest first. */
export function totals(evidences) {
  const byFeature = new Map();
  for (const { feature, name, contribution } of evidences.flatMap((one) => one.contributions)) {
    const before = byFeature.get(feature)?.contribution ?? 0;
    byFeature.set(feature, { feature, name, contribution: before + contribution });
  }
  const size = ({ contribution }) => Math.abs(contribution);
  return [...byFeature.values()].sort((a, b) => size(b) - size(a));
}

export const evidences = (some) => some.flatMap(({ evidence }) => evidence ?? []);

function show() {
  find("why-title").textContent = `Why “${why.label}”`;
  find("basis").textContent = basis();
  const options = why.paths.map(({ probability }, i) =>
    element("option", { value: i, selected: i === tree }, `${i + 1}: ${percent(probability)}`),
  );
  find("trees").hidden = options.length < 2;
  find("tree").replaceChildren(...options);
  find("icicle").replaceChildren(...steps().map(level));
  showWords();
  find("cost").replaceChildren(...costs());
  find("why").hidden = false;
}

function basis() {
  const n = why.paths.length;
  const source = n > 1 ? `the mean of ${n} trees` : "the product of the estimates below";
  const curve = why.is_calibrated ? "calibration" : "the fixed curve";
  const change = `; ${curve} makes it ${percent(why.probability)}`;
  const by = why.implied_by ? `Implied by “${why.implied_by}”. ` : "";
  return `${by}${percent(why.mean)} is ${source}${why.probability === why.mean ? "" : change}.`;
}

/** Return a level of the icicle: the node on the path, then its most probable siblings. */
function level(node, depth) {
  const nodes = [node, ...node.siblings];
  const widths = nodes.map(({ estimate }) => Math.max(estimate, NARROW));
  const total = widths.reduce((a, b) => a + b);
  const boxes = nodes.map((one, i) => box(one, depth, widths[i] / total, i > 0));
  return element("li", { className: "level", "--share": widths[0] / total }, ...boxes);
}

function box(node, depth, width, isMiss) {
  const isButton = !isMiss && node.evidence && evidences(steps()).length > 1;
  const names = node.examples.join(", ");
  const figures = `${percent(node.estimate)} → ${percent(node.product)}`;
  const size = plural(node.n_labels, "label");
  const button = { ariaPressed: step === depth, onclick: () => chooseStep(depth) };
  return element(
    isButton ? "button" : "div",
    {
      className: isMiss ? "node miss" : "node",
      "--width": width,
      "--product": node.product,
      ...(isButton && button),
    },
    element("span", { className: "hidden" }, isMiss ? "Near miss: " : ""),
    element("b", { title: names }, depth ? (node.is_ranker ? `Ranker of ${names}` : names) : `All ${size}`),
    node.estimate < 1 ? figures : "",
    depth && !isMiss && node.n_labels > 1 ? ` · ${size}` : "",
  );
}

function chooseStep(depth) {
  step = step === depth ? null : depth;
  show();
  find("icicle").children[depth].firstChild.focus();
}

function showWords() {
  const used = evidences(step === null ? steps() : [steps()[step]]);
  const all = totals(used);
  const most = Math.abs(all[0]?.contribution);
  const where = step === null ? "" : ` in step ${step}`;
  find("words-title").textContent = `${unit === "word" ? "Words" : "Features"} that count${where}`;
  find("words").replaceChildren(...all.slice(0, N_WORDS).map((entry) => word(entry, most)));
  find("sum").textContent = summary(used, all);
}

function word({ name, contribution }, most) {
  const className = contribution > 0 ? "for" : "against";
  const bar = element("span", { className, "--length": Math.abs(contribution) / most });
  return element(
    "li",
    {},
    element("span", { className: "name" }, name),
    element("span", { className: "signed", ariaHidden: true }, bar),
    element("span", {}, signed(contribution)),
  );
}

/** Return the rest of the sum whose largest terms are listed. */
function summary(used, all) {
  if (!all.length) return `No ${unit} counts: the label is as probable without.`;
  if (used.length > 1) return "Sums over the path. Choose a step to see what counts there.";
  const [{ log_odds, bias, rest, n_rest }] = used;
  const unlisted = all.slice(N_WORDS);
  const others = unlisted.reduce((sum, { contribution }) => sum + contribution, rest);
  const n = n_rest + unlisted.length;
  const more = n ? `${plural(n, `other ${unit}`)} ${signed(others)}, ` : "";
  const estimate = percent(1 / (1 + Math.exp(-log_odds)));
  return `${more}bias ${signed(bias)}. The sum is log-odds of ${signed(log_odds)}: ${estimate}.`;
}

function costs() {
  const { n_evaluated, n_classifiers, microseconds, bound } = cost;
  const has = `${count(n_evaluated)} of ${count(n_classifiers)} classifiers evaluated`;
  const limit = bound ? `; the bound of Theorem 6 is ${count(bound)}` : "";
  return [
    element("span", { className: "meter", "--share": n_evaluated / n_classifiers }),
    element("b", {}, has),
    element("span", {}, `in ${count(microseconds)} µs${limit}`),
  ];
}
