// Arcs as smooth curves from box to box. Lengths are in pixels at zoom 1.

const UNIT_X = 120; // the room of one node
const UNIT_Y = 63; // one row
const BOX_HEIGHT = 28;
const BOX_WIDTH = 108; // at most
const HEAD = 9;

/**
 * The curve through points as cubic pieces [x, y, (x1, y1, x2, y2, x, y)…]: tangents follow the neighbours. Between two
 * points it is the line [x, y, x, y].
 */
function smooth(points) {
  if (points.length === 2) return points.flat();
  const curve = [points[0][0], points[0][1]];
  for (let k = 0; k + 1 < points.length; k++) {
    const [from, to] = [points[k], points[k + 1]];
    const third = Math.hypot(to[0] - from[0], to[1] - from[1]) / 3;
    const leave = direction(points[Math.max(k - 1, 0)], to);
    const arrive = direction(from, points[Math.min(k + 2, points.length - 1)]);
    curve.push(
      from[0] + leave[0] * third,
      from[1] + leave[1] * third,
      to[0] - arrive[0] * third,
      to[1] - arrive[1] * third,
      to[0],
      to[1],
    );
  }
  return curve;
}

function direction(from, to) {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}

/** Where the line from the middle of a box towards a point leaves the box. */
function leaving(middle, halfWidth, halfHeight, towards) {
  const [x, y] = [towards[0] - middle[0], towards[1] - middle[1]];
  const share = Math.min(halfWidth / Math.abs(x || 1e-9), halfHeight / Math.abs(y || 1e-9));
  return share < 1 ? [middle[0] + x * share, middle[1] + y * share] : middle;
}

/** The curve between two boxes with its arrow head: {curve, head: [tip, left, right], box around it}. */
function arcBetween(points, halfWidths) {
  const last = points.length - 1;
  const path = points.slice();
  path[0] = leaving(points[0], halfWidths[0], BOX_HEIGHT / 2, points[1]);
  const tip = leaving(points[last], halfWidths[1] + 2, BOX_HEIGHT / 2 + 2, points[last - 1]);
  const [x, y] = direction(path[last - 1], tip);
  const neck = [tip[0] - x * HEAD * 0.8, tip[1] - y * HEAD * 0.8];
  path[last] = neck;
  const base = [tip[0] - x * HEAD, tip[1] - y * HEAD];
  const half = HEAD * 0.42;
  const head = [tip, [base[0] - y * half, base[1] + x * half], [base[0] + y * half, base[1] - x * half]];
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  return {
    curve: smooth(path),
    head,
    left: Math.min(...xs) - 20,
    right: Math.max(...xs) + 20,
    top: Math.min(...ys) - 20,
    bottom: Math.max(...ys) + 20,
  };
}

/** How high a network with nodes in these rows is. */
function heightOf(rows) {
  const [least, most] = rows.reduce(
    ([low, high], row) => [Math.min(low, row), Math.max(high, row)],
    [Infinity, -Infinity],
  );
  return rows.length ? (most - least) * UNIT_Y + BOX_HEIGHT : BOX_HEIGHT;
}

/** Add a curve to a path or to the current path of a canvas. */
function trace(path, curve) {
  path.moveTo(curve[0], curve[1]);
  if (curve.length === 4) path.lineTo(curve[2], curve[3]);
  else
    for (let k = 2; k < curve.length; k += 6) {
      path.bezierCurveTo(curve[k], curve[k + 1], curve[k + 2], curve[k + 3], curve[k + 4], curve[k + 5]);
    }
}
