// How the network is drawn: what is outside the window is left out, and what is too small to be read becomes a dot.

const LEGIBLE = 0.54; // the zoom from which on names are written into their boxes
const BOXED = 0.42; // the zoom from which on nodes are boxes
const TOGETHER = 8; // curves in one path

const COLOURS = [
  "paper",
  "ink",
  "quiet",
  "accent",
  "accent-soft",
  "accent-ink",
  "arc",
  "node",
  "node-line",
  "dot",
  "parent",
  "parent-soft",
  "child",
  "child-soft",
  "spouse",
  "spouse-soft",
  "reversed",
  "extra",
  "missing",
];

class Painter {
  constructor(canvas, content, graph) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.content = content;
    this.graph = graph;
    this.x = Float64Array.from(content.nodes.x, (x) => x * UNIT_X);
    this.y = Float64Array.from(content.nodes.y, (y) => y * UNIT_Y);
    this.degrees = graph.names.map((_, node) => graph.degree(node));
    this.observed = new Set(); // nodes that are evidence
    this.moved = null; // how far it has moved each node, from 0 to 1; null without evidence
    this.hubs = graph.byDegree().filter((node) => this.degrees[node] > 1);
    this.readColours();
    this.context.font = `${FONT}px ${this.family}`;
    this.fitted = graph.labels.map((label) => fittedLabel(this.context, label));
    this.halfWidths = this.fitted.map((label) => Math.max(this.context.measureText(label).width / 2 + 8, 24));
    this.bendArcs();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.family = style.getPropertyValue("--text");
  }

  get bounds() {
    const least = (values) => values.reduce((one, other) => Math.min(one, other), Infinity);
    const most = (values) => values.reduce((one, other) => Math.max(one, other), -Infinity);
    return {
      left: least(this.x) - BOX_WIDTH / 2,
      right: most(this.x) + BOX_WIDTH / 2,
      top: least(this.y) - BOX_HEIGHT / 2,
      bottom: most(this.y) + BOX_HEIGHT / 2,
    };
  }

  bendArcs() {
    const { from, to, route } = this.content.arcs;
    const points = (arc) => {
      const bends = [];
      const flat = (route && route[arc]) || [];
      for (let k = 0; k + 1 < flat.length; k += 2) bends.push([flat[k] * UNIT_X, flat[k + 1] * UNIT_Y]);
      return [[this.x[from[arc]], this.y[from[arc]]], ...bends, [this.x[to[arc]], this.y[to[arc]]]];
    };
    this.arcs = from.map((parent, arc) => {
      const all = points(arc);
      return { ...arcBetween(all, [this.halfWidths[parent], this.halfWidths[to[arc]]]), far: smooth(all) };
    });
    const missing = this.content.reference ? this.content.reference.missing : [];
    this.missing = missing.map(([parent, child]) =>
      arcBetween(
        [
          [this.x[parent], this.y[parent]],
          [this.x[child], this.y[child]],
        ],
        [this.halfWidths[parent], this.halfWidths[child]],
      ),
    );
  }

  /** Sort arcs into strokes that are drawn alike: by colour, dashes and width, the width by "share", "gain" or null. */
  chooseWidths(by) {
    const { reference, arcs } = this.content;
    const gains = arcs.gain || [];
    const largest = gains.reduce((most, gain) => Math.max(most, gain), 0) || 1;
    this.widthOf = (arc) => {
      if (by === "share") return 0.75 + 2.75 * arcs.share[arc];
      if (by === "gain") return 0.75 + 2.75 * Math.sqrt(Math.max(gains[arc], 0) / largest);
      return 1.3;
    };
    this.colourOf = (arc) => {
      const status = reference ? reference.status[arc] : "same";
      return status === "same" ? "arc" : status;
    };
    const strokes = new Map();
    for (let arc = 0; arc < arcs.from.length; arc++) {
      const [colour, dashed, width] = [this.colourOf(arc), arcs.reversible[arc], Math.round(this.widthOf(arc) * 2) / 2];
      const key = `${colour} ${dashed} ${width}`;
      if (!strokes.has(key)) strokes.set(key, { colour, dashed, width, arcs: [] });
      strokes.get(key).arcs.push(arc);
    }
    this.strokes = [...strokes.values()];
  }

  /** Draw what a camera sees; `selected` and `hovered` are nodes or null. */
  draw(camera, ratio, selected, hovered) {
    const { context } = this;
    const scale = camera.zoom * ratio;
    this.zoom = camera.zoom;
    [this.left, this.top] = camera.inNetwork(0, 0);
    [this.right, this.bottom] = camera.inNetwork(camera.width, camera.height);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(scale, 0, 0, scale, camera.x * ratio, camera.y * ratio);
    context.lineJoin = "round";
    const family = selected === null ? null : this.graph.family(selected);
    context.globalAlpha = family ? 0.13 : 1;
    this.drawArcs();
    context.globalAlpha = family ? 0.3 : 1;
    this.drawNodes(family && family.roles);
    context.globalAlpha = 1;
    if (family) {
      for (const [arc, role] of family.arcs) this.drawMember(arc, role);
      for (const [node, role] of family.roles) if (this.seesNode(node)) this.drawNode(node, role);
      for (const node of this.observed)
        if (this.seesNode(node) && !family.roles.has(node)) this.drawNode(node, "plain");
    }
    if (hovered !== null && hovered !== selected)
      this.drawNode(hovered, (family && family.roles.get(hovered)) || "hovered");
    if (camera.zoom >= LEGIBLE) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    writeBeside(this, camera, family ? [...family.roles.keys()] : this.hubs, Boolean(family));
  }

  seesNode(node) {
    const x = this.x[node];
    const y = this.y[node];
    return (
      x > this.left - BOX_WIDTH &&
      x < this.right + BOX_WIDTH &&
      y > this.top - BOX_HEIGHT &&
      y < this.bottom + BOX_HEIGHT
    );
  }

  seesArc({ left, right, top, bottom, curve }) {
    if (right <= this.left || left >= this.right || bottom <= this.top || top >= this.bottom) return false;
    return curve.length > 4 || this.crossesWindow(curve);
  }

  /** Whether a line passes the window, and not only the box around it: some corners are on its one side, some not. */
  crossesWindow([x, y, toX, toY]) {
    const side = (cornerX, cornerY) => (toX - x) * (cornerY - y) - (toY - y) * (cornerX - x) > 0;
    const [left, right] = [this.left - HEAD, this.right + HEAD];
    const [top, bottom] = [this.top - HEAD, this.bottom + HEAD];
    const one = side(left, top);
    return one !== side(right, top) || one !== side(left, bottom) || one !== side(right, bottom);
  }

  /** Lines keep their width on the screen within limits: thinner from afar, wider close by. */
  onScreenWidth(width) {
    return (width * Math.min(Math.max(this.zoom ** 0.5, 0.45), 1.4)) / this.zoom;
  }

  drawArcs() {
    const { context } = this;
    const near = this.zoom >= BOXED;
    const alpha = context.globalAlpha;
    this.seen = 0;
    context.globalAlpha = alpha * Math.min(0.4 + this.zoom * 0.8, 1);
    for (const stroke of this.strokes) {
      context.strokeStyle = context.fillStyle = this.colours[stroke.colour];
      context.lineWidth = this.onScreenWidth(stroke.width);
      context.setLineDash(near && stroke.dashed ? [6, 5] : []);
      const seen = stroke.arcs.map((arc) => this.arcs[arc]).filter((arc) => this.seesArc(arc));
      this.seen += seen.length;
      this.strokeCurves(seen, near);
      if (!near) continue;
      context.beginPath();
      for (const arc of seen) this.traceHead(arc.head);
      context.fill();
    }
    this.drawMissing(near);
    context.setLineDash([]);
    context.globalAlpha = alpha;
  }

  /** Some curves at a time: the work of a path grows faster than its length. */
  strokeCurves(arcs, near) {
    const { context } = this;
    for (let start = 0; start < arcs.length; start += TOGETHER) {
      context.beginPath();
      for (const arc of arcs.slice(start, start + TOGETHER)) trace(context, near ? arc.curve : arc.far);
      context.stroke();
    }
  }

  drawMissing(near) {
    const { context } = this;
    context.strokeStyle = context.fillStyle = this.colours.missing;
    context.lineWidth = this.onScreenWidth(1.5);
    context.setLineDash(near ? [2, 5] : []);
    const seen = this.missing.filter((arc) => this.seesArc(arc));
    this.seen += seen.length;
    this.strokeCurves(seen, true);
    context.beginPath();
    if (near) for (const arc of seen) this.traceHead(arc.head);
    context.fill();
  }

  traceHead([tip, left, right]) {
    this.context.moveTo(tip[0], tip[1]);
    this.context.lineTo(left[0], left[1]);
    this.context.lineTo(right[0], right[1]);
    this.context.closePath();
  }

  /** An arc of the selected node's family; where there is a reference its colour keeps to that. */
  drawMember(arc, role) {
    const { context } = this;
    const drawn = this.arcs[arc];
    if (!this.seesArc(drawn)) return;
    const colour = this.content.reference ? this.colourOf(arc) : role;
    const near = this.zoom >= BOXED;
    context.strokeStyle = context.fillStyle = this.colours[colour];
    context.lineWidth = this.onScreenWidth(Math.max(this.widthOf(arc), 1.5));
    context.setLineDash(near && this.content.arcs.reversible[arc] ? [6, 5] : []);
    context.beginPath();
    trace(context, near ? drawn.curve : drawn.far);
    context.stroke();
    context.setLineDash([]);
    if (!near) return;
    context.beginPath();
    this.traceHead(drawn.head);
    context.fill();
  }

  /** All nodes in sight but those of the family, which come later, on top. */
  drawNodes(roles) {
    const { context, colours } = this;
    if (this.zoom >= BOXED) {
      for (let node = 0; node < this.graph.size; node++) {
        if (this.seesNode(node) && !(roles && roles.has(node))) this.drawNode(node, "plain");
      }
      return;
    }
    context.fillStyle = colours.dot;
    context.beginPath();
    for (let node = 0; node < this.graph.size; node++) {
      if (!this.seesNode(node) || (roles && roles.has(node))) continue;
      const radius = this.dotRadius(node);
      context.moveTo(this.x[node] + radius, this.y[node]);
      context.arc(this.x[node], this.y[node], radius, 0, 2 * Math.PI);
    }
    context.fill();
    if (!this.moved) return;
    const alpha = context.globalAlpha;
    for (let node = 0; node < this.graph.size; node++) {
      if (!this.seesNode(node) || (roles && roles.has(node))) continue;
      context.globalAlpha = this.observed.has(node) ? alpha : alpha * this.moved[node];
      if (context.globalAlpha > 0.02) this.drawNode(node, "hovered");
    }
    context.globalAlpha = alpha;
  }

  dotRadius(node) {
    return ((1.5 + Math.min(Math.sqrt(this.degrees[node]) * 0.55, 4)) * (0.85 + this.zoom)) / this.zoom;
  }

  paintOf(role) {
    const { colours } = this;
    if (role === "plain")
      return { fill: colours.node, line: colours["node-line"], text: colours.ink, dot: colours.dot };
    if (role === "hovered") return { fill: colours.node, line: colours.accent, text: colours.ink, dot: colours.accent };
    if (role === "selected")
      return { fill: colours.accent, line: colours.accent, text: colours["accent-ink"], dot: colours.accent };
    return { fill: colours[`${role}-soft`], line: colours[role], text: colours.ink, dot: colours[role] };
  }

  /** What is evidence stands out, whatever else it is. */
  paintOfObserved(role) {
    const { ink, paper } = this.colours;
    if (role === "plain" || role === "hovered") return { fill: ink, line: ink, text: paper, dot: ink };
    return { ...this.paintOf(role), line: ink, dot: ink };
  }

  drawNode(node, role) {
    const { context } = this;
    const paint = this.observed.has(node) ? this.paintOfObserved(role) : this.paintOf(role);
    const [x, y] = [this.x[node], this.y[node]];
    if (this.zoom < BOXED) {
      context.fillStyle = paint.dot;
      context.beginPath();
      context.arc(x, y, this.dotRadius(node) + (role === "plain" ? 0 : 1.5 / this.zoom), 0, 2 * Math.PI);
      context.fill();
      return;
    }
    const half = this.halfWidths[node];
    context.fillStyle = paint.fill;
    context.strokeStyle = paint.line;
    const width = this.observed.has(node) ? 3 : role === "plain" ? 1 : 1.75;
    context.lineWidth = width / Math.min(this.zoom, 1) ** 0.5;
    context.beginPath();
    context.roundRect(x - half, y - BOX_HEIGHT / 2, 2 * half, BOX_HEIGHT, 7);
    context.fill();
    context.stroke();
    if (this.moved && !this.observed.has(node)) this.drawMoved(node, role);
    if (this.zoom < LEGIBLE) return;
    context.font = `${FONT}px ${this.family}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = paint.text;
    context.fillText(this.fitted[node], x, y + 0.5);
  }

  /** A bar along the lower edge of a node's box, as long as the evidence has moved the node. */
  drawMoved(node, role) {
    const { context, colours } = this;
    const room = 2 * this.halfWidths[node] - 8;
    context.fillStyle = role === "selected" ? colours["accent-ink"] : colours.accent;
    context.fillRect(this.x[node] - room / 2, this.y[node] + BOX_HEIGHT / 2 - 5, room * this.moved[node], 3.5);
  }

  /** The node at a place of the screen; from afar the nearest dot within reach of a finger. */
  nodeAt([x, y], camera) {
    const [inX, inY] = camera.inNetwork(x, y);
    const reach = 9 / camera.zoom;
    let [best, nearest] = [null, Infinity];
    for (let node = 0; node < this.graph.size; node++) {
      const [dx, dy] = [Math.abs(this.x[node] - inX), Math.abs(this.y[node] - inY)];
      const hit =
        camera.zoom >= BOXED
          ? dx <= this.halfWidths[node] && dy <= Math.max(BOX_HEIGHT / 2, reach / 2)
          : Math.hypot(dx, dy) <= reach;
      if (hit && Math.hypot(dx, dy) < nearest) [best, nearest] = [node, Math.hypot(dx, dy)];
    }
    return best;
  }
}
