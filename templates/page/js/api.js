/**
 * Requests to the service. The token is stored in this tab only.
 */

const KEPT = "mind.token";
const WAITS = [300, 1000];

/** An error of the service: a problem of RFC 9457. */
export class Problem extends Error {
  constructor(status, told) {
    super(told.detail || told.title || `The service answered with status ${status}.`);
    this.status = status;
    this.code = told.code || "";
    this.remedy = told.remedy || "";
  }
}

/** Move the token from the address into this tab. */
export async function signIn() {
  const given = new URLSearchParams(location.hash.slice(1));
  const [token, code] = [given.get("token"), given.get("code")];
  if (token || code) history.replaceState(null, "", `${location.pathname}#/search`);
  if (token) keep(token);
  if (code) await exchange(code);
  return stored();
}

async function exchange(code) {
  const answer = await fetch("/api/v1/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
    cache: "no-store",
    credentials: "omit",
  });
  if (answer.ok) keep((await answer.json()).token);
  else if (!stored()) throw new Problem(answer.status, await told(answer));
}

let inMemory = "";

function keep(token) {
  inMemory = token;
  try {
    sessionStorage.setItem(KEPT, token);
  } catch {
    // storage is disabled: the token lasts until the page is reloaded
  }
}

function stored() {
  if (inMemory) return inMemory;
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

async function told(answer) {
  try {
    return await answer.json();
  } catch {
    return {};
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}

/** The selected project, if there are several. */
export const chosen = { project: "" };

function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== "" && one !== null && one !== undefined) query.append(name, one);
    }
  }
  if (chosen.project) query.append("project", chosen.project);
  const written = query.toString();
  return written ? `${path}?${written}` : path;
}

async function ask(path, parameters, options) {
  let answer;
  try {
    answer = await fetch(address(path, parameters), {
      ...options,
      headers: { ...options.headers, Authorization: `Bearer ${stored()}` },
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: "The service does not answer.", remedy: "Run `mind ui` again." });
  }
  if (answer.ok) return answer;
  const problem = new Problem(answer.status, await told(answer));
  problem.after = Number(answer.headers.get("Retry-After")) || 0;
  throw problem;
}

/** Read `{ data, etag }`; retries twice if the service is busy. */
export async function get(path, parameters = {}, signal = undefined) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await ask(path, parameters, { method: "GET", signal });
      return { data: await answer.json(), etag: answer.headers.get("ETag") ?? "" };
    } catch (error) {
      const busy = error.status === 429 || error.status === 503;
      if (!busy || attempt >= WAITS.length) throw error;
      await pause(Math.max(WAITS[attempt], error.after * 1000), signal);
    }
  }
}

/** Write. Never retries. */
export async function send(method, path, body = undefined, etag = "", signal = undefined) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = etag;
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const answer = await ask(path, {}, { method, headers, body: sent, signal });
  return answer.json();
}

/** Open the stream of events. */
export function stream(path, last, signal) {
  const headers = last ? { "Last-Event-ID": last } : {};
  return ask(path, {}, { method: "GET", headers, signal, cache: "no-store" });
}

/** The path of an entry. */
export function entryPath(id, more = "") {
  return `/api/v1/entries/${encodeURIComponent(id)}${more}`;
}
