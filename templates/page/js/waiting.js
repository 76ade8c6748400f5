/**
 * The number of pending claims, beside the name of their view.
 */

import { get } from "./api.js";
import { el, fill, number } from "./dom.js";

const SOONEST = 1000;
let timer = 0;

/** Count them now, and again when the next one expires. */
export async function count() {
  clearTimeout(timer);
  const place = document.getElementById("waiting-count");
  try {
    const { claims } = (await get("/api/v1/pending")).data;
    fill(place, claims.length ? [" ", el("span", { class: "badge" }, number(claims.length), el("span", { class: "hidden" }, " waiting"))] : null);
    if (claims.length) {
      const next = Math.min(...claims.map((one) => Date.parse(one.until))) - Date.now();
      timer = setTimeout(count, Math.max(SOONEST, next));
    }
  } catch {
    fill(place); // the view itself shows the error
  }
}
