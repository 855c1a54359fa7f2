// Names in the network: within boxes where they can be read, above some nodes where they could not.

const FONT = 12.5;
const SMALL_FONT = 11.5;
const MOST_NAMES = 60;

/** A name as it fits into a box; the middle of a long one is left out. */
function fittedLabel(context, label) {
  const room = BOX_WIDTH - 14;
  if (label.length < 60 && context.measureText(label).width <= room) return label;
  const signs = [...label];
  const keeping = (kept) => {
    const end = signs.slice(signs.length - Math.floor(kept / 2));
    return `${signs.slice(0, Math.ceil(kept / 2)).join("")}…${end.join("")}`;
  };
  let kept = Math.min(signs.length - 1, 24);
  while (kept > 2 && context.measureText(keeping(kept)).width > room) kept--;
  return keeping(kept);
}

/** Write the names of nodes above them, in their order, as many as do not overlap. */
function writeBeside(painter, camera, nodes, bold) {
  const { context, colours, fitted } = painter;
  context.font = `${bold ? "600 " : ""}${SMALL_FONT}px ${painter.family}`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.lineWidth = 3.5;
  context.strokeStyle = colours.paper;
  context.fillStyle = colours.ink;
  const placed = [];
  for (const node of nodes) {
    if (placed.length >= MOST_NAMES) break;
    if (!painter.seesNode(node)) continue;
    const [x, middle] = camera.onScreen(painter.x[node], painter.y[node]);
    const y = middle - (camera.zoom >= BOXED ? BOX_HEIGHT / 2 : painter.dotRadius(node)) * camera.zoom - 4;
    const half = context.measureText(fitted[node]).width / 2 + 5;
    const free = (other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > SMALL_FONT + 6;
    if (!placed.every(free)) continue;
    placed.push({ x, y, half });
    context.strokeText(fitted[node], x, y);
    context.fillText(fitted[node], x, y);
  }
}
