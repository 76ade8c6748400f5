/**
 * Creation of all nodes. Text of the memory only ever becomes text nodes.
 */

const SVG = "http://www.w3.org/2000/svg";
/** Characters that change the direction of text, or are invisible. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, "gu");
const SAFE_LINK = /^(#\/|https?:\/\/)/i;

/**
 * An element.
 *
 * Functions become event listeners (`click: f`); `false`, null and undefined are left out. Links
 * lead into this page or to http(s), nowhere else.
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
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

/** Text of the memory, with isolated direction and visible hidden characters. */
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
  return el("span", { class: "control", title: "Invisible character" }, `U+${code}`);
}

/** Parts of `text`, with words that begin like one of `terms` marked. */
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

/** True if a word of an entry is a form of a word of the query: both begin alike. */
function isLike(word, term) {
  if (word === term) return true;
  const stem = term.length > 5 ? term.slice(0, term.length - 2) : term;
  return stem.length > 2 && word.startsWith(stem) && word.length <= term.length + 4;
}

/** The matched words of a query, for `said`. */
export function termsOf(matched) {
  return matched.flatMap((one) => one.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** Text with links for web addresses and [[things]]. */
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

/** Elements allowed in a rendered entry; others are replaced by their content. */
const RENDERED = new Set("a blockquote br code del em h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(" "));
const policy = globalThis.trustedTypes?.createPolicy("mind", { createHTML: (html) => html });

/** HTML of an entry from the service, parsed where nothing runs or loads, and rebuilt. */
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

/** A title without Markdown markup. */
export function unmarked(text) {
  return text.replace(/\[([^[\]]*)\]\([^()\s]*\)|\*\*|~~|`/gu, "$1");
}

/** The first `most` characters of a text, cut between characters. */
export function short(text, most = 240) {
  return text.length > most ? `${Array.from(text.slice(0, most + 1)).slice(0, -1).join("")}…` : text;
}

/** Replace the content of `node` with `children`. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

/** A formatted number. */
export function number(value) {
  return value.toLocaleString("en");
}

/** `1 entry`, `2 entries`. */
export function counted(value, one, several = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : several}`;
}
