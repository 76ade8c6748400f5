/**
 * A word-by-word diff of two texts, by longest common subsequence.
 */

const MOST = 1500;

/** The parts of both texts, in order: `[kind, text]`, with kind "same", "gone" or "new". */
export function difference(before, after) {
  const one = words(before);
  const other = words(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  return joined([
    ["same", one.slice(0, start).join("")],
    ...middle(left, right),
    ["same", one.slice(one.length - end).join("")],
  ]);
}

function words(text) {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function middle(left, right) {
  if (left.length > MOST || right.length > MOST) return [["gone", left.join("")], ["new", right.join("")]];
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        left[i] === right[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const parts = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      parts.push(["same", left[i]]);
      [i, j] = [i + 1, j + 1];
    } else if (j === right.length || (i < left.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      parts.push(["gone", left[i]]);
      i += 1;
    } else {
      parts.push(["new", right[j]]);
      j += 1;
    }
  }
  return parts;
}

function joined(parts) {
  const made = [];
  for (const [kind, text] of parts) {
    if (!text) continue;
    if (made.length && made.at(-1)[0] === kind) made.at(-1)[1] += text;
    else made.push([kind, text]);
  }
  return made;
}
