// Requests to the server, and what is kept in the tab.

/** Keep a value until the tab is closed, so that reloading the page loses nothing. */
export function keep(name, value) {
  try {
    sessionStorage[`labeltree ${name}`] = JSON.stringify(value);
  } catch {
    // Storage is full or forbidden: the page works without.
  }
}

export function kept(name, otherwise) {
  try {
    return JSON.parse(sessionStorage[`labeltree ${name}`]);
  } catch {
    return otherwise;
  }
}

/** Move the token out of the address, which people copy and show. */
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  keep("token", token);
  history.replaceState(null, "", location.pathname);
}

/** Return an error; `seconds` until the request may be tried again, if that can help. */
const problem = (message, status, seconds) =>
  Object.assign(new Error(message), { status, seconds });

/** Return the answer to a GET, or to a POST if there is a body. */
export async function ask(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const token = kept("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  const post = body && { method: "POST", body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, { headers, signal, ...post });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw problem("The server cannot be reached. Your text and choices stay here.", 0, 3);
  }
  throw await problemOf(response);
}

async function problemOf(response) {
  const { status } = response;
  const { detail } = await response.json().catch(() => ({ detail: `the server said ${status}` }));
  const message = `${detail[0].toUpperCase()}${detail.slice(1)}.`;
  const plain = { 401: "Enter the token first.", 413: `This is too long. ${message}` };
  const seconds = status === 503 ? Number(response.headers.get("Retry-After")) || 1 : undefined;
  return problem(plain[status] ?? message, status, seconds);
}
