/**
 * Force-directed layout of a graph: springs along lines, repulsion between close nodes, a pull to the
 * middle, then scaling to the picture. It starts on a spiral, so that the same graph always looks the
 * same.
 */

const [SIDE, TOP] = [58, 30];

/**
 * @param nodes Objects; each gets `x` and `y` within `width` and `height`.
 * @param links `{ from, to }`, positions in `nodes`.
 */
export function laidOut(nodes, links, width, height, rounds = 300) {
  const ideal = Math.sqrt((width * height) / Math.max(nodes.length, 1));
  nodes.forEach((node, at) => {
    const turn = at * 2.399963; // the golden angle: no two nodes start in one direction
    const far = ideal * 0.6 * Math.sqrt(at);
    node.x = far * Math.cos(turn);
    node.y = far * Math.sin(turn);
  });
  for (let round = 0; round < rounds; round += 1) {
    const heat = ideal * 0.4 * (1 - round / rounds);
    const moves = nodes.map((node) => ({ x: -node.x * 0.04, y: -node.y * 0.04 * (width / height) }));
    repel(nodes, moves, ideal);
    for (const { from, to } of links) pull(nodes, moves, from, to, ideal);
    nodes.forEach((node, at) => {
      const { x, y } = moves[at];
      const size = Math.hypot(x, y) || 1;
      node.x += (x / size) * Math.min(size, heat);
      node.y += (y / size) * Math.min(size, heat);
    });
  }
  fit(nodes, width, height);
}

function repel(nodes, moves, ideal) {
  const far = 9 * ideal * ideal;
  for (let one = 0; one < nodes.length; one += 1) {
    for (let other = one + 1; other < nodes.length; other += 1) {
      const dx = nodes[one].x - nodes[other].x || 0.01;
      const dy = nodes[one].y - nodes[other].y || 0.01;
      const square = Math.max(dx * dx + dy * dy, 25);
      if (square > far) continue;
      const by = (ideal * ideal) / square / 2;
      moves[one].x += dx * by;
      moves[one].y += dy * by;
      moves[other].x -= dx * by;
      moves[other].y -= dy * by;
    }
  }
}

function pull(nodes, moves, from, to, ideal) {
  const dx = nodes[to].x - nodes[from].x;
  const dy = nodes[to].y - nodes[from].y;
  const by = Math.hypot(dx, dy) / ideal / 3;
  moves[from].x += dx * by;
  moves[from].y += dy * by;
  moves[to].x -= dx * by;
  moves[to].y -= dy * by;
}

/** Fit the nodes into the picture; few nodes are not spread to its edges. */
function fit(nodes, width, height) {
  for (const [axis, room, edge] of [["x", width, SIDE], ["y", height, TOP]]) {
    const places = nodes.map((node) => node[axis]);
    const [low, high] = [Math.min(...places), Math.max(...places)];
    const scale = Math.min((room - 2 * edge) / Math.max(high - low, 1), 1.4);
    for (const node of nodes) node[axis] = room / 2 + (node[axis] - (low + high) / 2) * scale;
  }
}
