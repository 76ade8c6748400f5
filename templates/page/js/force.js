/**
 * Where the things of a graph are drawn: springs along lines, repulsion between all, pulled to the
 * middle. It begins on a spiral, so that the same graph always looks the same.
 */

/**
 * @param nodes Objects; each is given `x` and `y` within `width` and `height`.
 * @param links `{ from, to }`, positions in `nodes`.
 */
export function laidOut(nodes, links, width, height, rounds = 260) {
  const ideal = Math.sqrt((width * height) / Math.max(nodes.length, 1)) * 0.75;
  nodes.forEach((node, at) => {
    const turn = at * 2.399963;
    const far = 12 + ideal * 0.35 * Math.sqrt(at);
    node.x = width / 2 + far * Math.cos(turn);
    node.y = height / 2 + far * Math.sin(turn);
  });
  for (let round = 0; round < rounds; round += 1) {
    const heat = ideal * 0.35 * (1 - round / rounds);
    const moves = nodes.map((node) => ({ x: (width / 2 - node.x) * 0.06, y: (height / 2 - node.y) * 0.08 }));
    repel(nodes, moves, ideal);
    for (const { from, to } of links) pull(nodes, moves, from, to, ideal);
    nodes.forEach((node, at) => {
      const { x, y } = moves[at];
      const size = Math.hypot(x, y) || 1;
      const step = Math.min(size, heat) / size;
      node.x = Math.min(width - 60, Math.max(60, node.x + x * step));
      node.y = Math.min(height - 26, Math.max(26, node.y + y * step));
    });
  }
}

function repel(nodes, moves, ideal) {
  for (let one = 0; one < nodes.length; one += 1) {
    for (let other = one + 1; other < nodes.length; other += 1) {
      const dx = nodes[one].x - nodes[other].x || 0.01 * (other - one);
      const dy = nodes[one].y - nodes[other].y || 0.01;
      const square = Math.max(dx * dx + dy * dy, 25);
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
  const by = Math.hypot(dx, dy) / ideal / 4;
  moves[from].x += dx * by;
  moves[from].y += dy * by;
  moves[to].x -= dx * by;
  moves[to].y -= dy * by;
}
