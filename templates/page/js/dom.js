/**
 * Nodes: the one place where they are made. What memory says is only ever a text node.
 */

const SVG = "http://www.w3.org/2000/svg";
/** Characters that change how text around them is read, or that nobody sees. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, "gu");
const SAFE_LINK = /^(#\/|https?:\/\/)/i;

/**
 * An element.
 *
 * Attributes are set as attributes, functions as listeners of an event (`click: f`), `false`, null
 * and undefined are left out. An address leads into this page or to http(s), to nothing else.
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name === "href" && !SAFE_LINK.test(value)) continue;
    else if (name === "value") node.value = value;
    else if (!/^(on|style$|src)/i.test(name)) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** Text from memory, on its own in matters of direction, with hidden characters made visible. */
export function said(text, terms = []) {
  const node = el("bdi", { dir: "auto" });
  if (!HIDDEN.test(text)) {
    node.append(...marked(text, terms));
    return node;
  }
  let at = 0;
  for (const found of text.matchAll(HIDDEN_ALL)) {
    node.append(...marked(text.slice(at, found.index), terms), control(found[0]));
    at = found.index + found[0].length;
  }
  node.append(...marked(text.slice(at), terms));
  return node;
}

function control(character) {
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return el("span", { class: "control", title: "A character that is not seen" }, `U+${code}`);
}

/** `text` in pieces: words that begin like one of `terms` are marked. */
function marked(text, terms) {
  if (!terms.length || !text) return [text];
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!terms.some((term) => isLike(found[0].toLowerCase(), term))) continue;
    parts.push(text.slice(at, found.index), el("mark", {}, found[0]));
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Whether a word of an entry is one of the query in another form: both share their beginning. */
function isLike(word, term) {
  if (word === term) return true;
  const stem = term.length > 5 ? term.slice(0, term.length - 2) : term;
  return stem.length > 2 && word.startsWith(stem) && word.length <= term.length + 4;
}

/** The words of a query that hits have, ready for :func:`said`. */
export function termsOf(matched) {
  return matched.flatMap((one) => one.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** Text with its web addresses and [[things]] as links. */
export function linked(text, terms = []) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/\bhttps?:\/\/[^\s<>"')\]]+|\[\[([^[\]\n]{1,200})\]\]/giu)) {
    parts.push(said(text.slice(at, found.index), terms));
    parts.push(
      found[1]
        ? el("a", { href: `#/graph?start=${encodeURIComponent(found[1])}` }, said(found[1], terms))
        : el("a", { href: found[0], rel: "noopener noreferrer", target: "_blank" }, said(found[0])),
    );
    at = found.index + found[0].length;
  }
  parts.push(said(text.slice(at), terms));
  return parts;
}

/** The elements of a rendered entry: others are left out, what they say stays. */
const RENDERED = new Set("a blockquote br code del em h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(" "));
const policy = globalThis.trustedTypes?.createPolicy("mind", { createHTML: (html) => html });

/** What the service rendered of an entry, read where nothing runs or loads, and built anew. */
export function rendered(html) {
  return rebuilt(new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html").body, false);
}

function rebuilt(parent, isCode) {
  return [...parent.childNodes].map((one) => {
    if (one.nodeType === Node.TEXT_NODE) return isCode || parent.localName === "a" ? said(one.data) : linked(one.data);
    const name = one.localName;
    if (name === "input") return one.checked ? "☑ " : "☐ ";
    const inner = rebuilt(one, isCode || name === "code");
    if (!RENDERED.has(name)) return inner;
    const link = name === "a" ? { href: one.getAttribute("href"), rel: "noopener noreferrer", target: "_blank" } : {};
    return el(name, link, inner);
  });
}

/** A title without the marks of Markdown. */
export function unmarked(text) {
  return text.replace(/\[([^[\]]*)\]\([^()\s]*\)|\*\*|~~|`/gu, "$1");
}

/** At most so many characters of a text, cut between characters. */
export function short(text, most = 240) {
  return text.length > most ? `${Array.from(text.slice(0, most + 1)).slice(0, -1).join("")}…` : text;
}

/** Put `children` in place of what `node` has. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** A number as people read it. */
export function number(value) {
  return value.toLocaleString("en");
}

/** `1 entry`, `2 entries`. */
export function counted(value, one, several = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : several}`;
}
