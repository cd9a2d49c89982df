// Elements and figures. Labels and texts reach the document as text only.

export const find = (id) => document.getElementById(id);

/** Return a new element; children that are strings become text. */
export function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("--")) made.style.setProperty(key, value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function percent(p) {
  if (p > 0 && p < 0.001) return "<0.1%";
  // Rounded down near 1: only what is certain is 100%.
  if (p > 0.99) return `${(Math.floor(p * 1000) / 10).toFixed(p < 1 ? 1 : 0)}%`;
  return `${(p * 100).toFixed(p < 0.1 ? 1 : 0)}%`;
}

export const count = (n) => Math.round(n).toLocaleString("en-US");

export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2);

/** Tell people who listen to the page. */
export const announce = (text) => (find("live").textContent = text);
