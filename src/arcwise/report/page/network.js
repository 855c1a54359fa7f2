// The network one moves about in: canvas, tools, legend, and which node is selected.

const MANY_ARCS = 3000;

class NetworkView {
  /** `chosen` is called with a node, or null, whenever the selection changes. */
  constructor(content, graph, chosen) {
    this.content = content;
    this.graph = graph;
    this.chosen = chosen;
    this.selected = null;
    this.hovered = null;
    this.waiting = false;
    this.questions = null;
    this.canvas = element("canvas", {
      tabindex: 0,
      role: "application",
      "aria-label": this.description(),
      "aria-describedby": "network-keys",
    });
    this.tip = element("div", { class: "tip", hidden: true });
    this.legend = element("div", { class: "legend" });
    this.search = searchBox(graph, (node) => this.visit(node));
    const tools = element("div", { class: "tools" }, this.search.box, this.zoomButtons());
    this.field = element("div", { class: "field" }, this.canvas, tools, this.legend, this.tip);
  }

  description() {
    const { size, from } = this.graph;
    return `Network of ${counted(size, "node")} and ${counted(from.length, "arc")}`;
  }

  zoomButtons() {
    const zoomBy = (factor) => () => this.camera.zoomAt(this.camera.width / 2, this.camera.height / 2, factor);
    const button = (sign, label, act) =>
      element("button", { type: "button", title: label, "aria-label": label, onclick: act }, sign);
    return element(
      "div",
      { class: "buttons", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out", zoomBy(1 / 1.5)),
      button("+", "Zoom in", zoomBy(1.5)),
      button("Fit", "Show the whole network", () => this.camera.fit()),
    );
  }

  /** Start drawing; the field must be on the page. */
  start() {
    this.painter = new Painter(this.canvas, this.content, this.graph);
    const { share, gain } = this.content.arcs;
    this.width = share ? "share" : gain ? "gain" : null;
    this.painter.chooseWidths(this.width);
    this.camera = new Camera(this.painter.bounds, () => this.move());
    this.showLegend();
    this.takeSize();
    this.camera.fit();
    steerByPointer(this.canvas, this.camera, {
      pointed: (place) => this.point(place),
      clicked: (place) => this.click(place),
    });
    steerByKeys(this.canvas, this.camera);
    this.canvas.addEventListener("keydown", (event) => this.step(event));
    new ResizeObserver(() => this.resize()).observe(this.field);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  takeSize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    // In a narrow window the legend is below the network, not on it.
    const over = !this.legend.hidden && this.legend.offsetTop < height;
    this.camera.covered = { top: 62, bottom: over ? this.legend.offsetHeight + 26 : 20 };
    this.camera.resize(width, height);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0 || document.documentElement.classList.contains("printing")) return;
    if (width === this.camera.width && height === this.camera.height && this.ratio === devicePixelRatio) return;
    const fits = this.camera.fits;
    this.takeSize();
    if (fits) this.camera.fit();
    this.draw();
  }

  recolour() {
    this.painter.readColours();
    this.draw();
  }

  /** Paper is white, whatever the screen is. */
  print(on) {
    document.documentElement.classList.toggle("printing", on);
    this.recolour();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.waiting = false;
    if (this.still) return this.drawStill();
    this.seenFrom = { zoom: this.camera.zoom, x: this.camera.x, y: this.camera.y };
    this.painter.draw(this.camera, this.ratio, this.selected, this.hovered);
  }

  /** The camera moved. Where thousands of arcs are in sight their picture moves, and is drawn anew twice a second. */
  move() {
    if (this.painter.seen > MANY_ARCS && !this.still) {
      const picture = element("canvas", { width: this.canvas.width, height: this.canvas.height });
      picture.getContext("2d").drawImage(this.canvas, 0, 0);
      const { zoom, x, y } = this.seenFrom;
      this.still = { picture, zoom, x, y };
      setTimeout(() => {
        this.still = null;
        this.redraw();
      }, 500);
    }
    if (this.still && !this.stillServes()) this.still = null;
    this.redraw();
  }

  /** Whether the picture is still sharp and most of it in sight. */
  stillServes() {
    const { zoom, x, y } = this.still;
    const { camera } = this;
    const scale = camera.zoom / zoom;
    const moved = [
      camera.x + (camera.width / 2) * (scale - 1) - x * scale,
      camera.y + (camera.height / 2) * (scale - 1) - y * scale,
    ];
    return (
      scale > 0.6 && scale < 1.6 && Math.abs(moved[0]) < camera.width / 2 && Math.abs(moved[1]) < camera.height / 2
    );
  }

  drawStill() {
    const { context } = this.painter;
    const { picture, zoom, x, y } = this.still;
    const scale = this.camera.zoom / zoom;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(
      scale,
      0,
      0,
      scale,
      (this.camera.x - x * scale) * this.ratio,
      (this.camera.y - y * scale) * this.ratio,
    );
    context.drawImage(picture, 0, 0);
  }

  /** Select a node, or none, and say so. */
  select(node) {
    if (node === this.selected) return;
    this.selected = node;
    this.still = null;
    this.showLegend();
    this.redraw();
    this.chosen(node);
  }

  /** Select a node that may be out of sight and bring it to the middle, with its Markov blanket if that can be read. */
  visit(node) {
    this.select(node);
    const { x, y } = this.painter;
    let zoom = Math.min(Math.max(this.camera.zoom, 1), 1.6);
    for (const member of this.graph.family(node).roles.keys()) {
      zoom = Math.min(zoom, (this.camera.width / 2 - 12) / (Math.abs(x[member] - x[node]) + BOX_WIDTH / 2));
      zoom = Math.min(zoom, (this.camera.height / 2 - 60) / (Math.abs(y[member] - y[node]) + BOX_HEIGHT / 2));
    }
    this.camera.centre(x[node], y[node], Math.max(zoom, 0.72));
  }

  point(place) {
    const node = place && this.painter.nodeAt(place, this.camera);
    this.canvas.classList.toggle("pointing", node !== null);
    this.tip.hidden = node === null;
    if (node !== null) this.showTip(node);
    if (node === this.hovered) return;
    this.hovered = node;
    this.redraw();
  }

  showTip(node) {
    this.tip.textContent = shortened(this.graph.labels[node], 300);
    const [x, y] = this.camera.onScreen(this.painter.x[node], this.painter.y[node]);
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const above = y - height - (BOX_HEIGHT / 2) * this.camera.zoom - 8;
    this.tip.style.left = `${Math.min(Math.max(x - width / 2, 4), this.camera.width - width - 4)}px`;
    this.tip.style.top = `${above > 4 ? above : y + (BOX_HEIGHT / 2) * this.camera.zoom + 8}px`;
  }

  click(place) {
    const node = this.painter.nodeAt(place, this.camera);
    this.select(node);
    if (node !== null) this.point(place);
  }

  /** Shift and an arrow key go to the next node that way. */
  step(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    if (!way || !event.shiftKey) return;
    event.preventDefault();
    const next = this.selected === null ? this.nearestToMiddle() : this.nextNode(this.selected, way);
    if (next !== null) this.visit(next);
  }

  nearestToMiddle() {
    const [x, y] = this.camera.inNetwork(this.camera.width / 2, this.camera.height / 2);
    return this.nearest((node) => Math.hypot(this.painter.x[node] - x, this.painter.y[node] - y));
  }

  nextNode(from, [right, down]) {
    const { x, y } = this.painter;
    return this.nearest((node) => {
      const [dx, dy] = [(x[node] - x[from]) / UNIT_X, (y[node] - y[from]) / UNIT_Y];
      const ahead = dx * right + dy * down;
      const aside = Math.abs(dx * down) + Math.abs(dy * right);
      return ahead > 0.01 ? ahead + 3 * aside : Infinity;
    });
  }

  nearest(distance) {
    let [best, least] = [null, Infinity];
    for (let node = 0; node < this.graph.size; node++) {
      const away = distance(node);
      if (away < least) [best, least] = [node, away];
    }
    return best;
  }

  /** Mark the nodes that are evidence, and those that it has moved. */
  showEvidence() {
    const { questions, painter } = this;
    painter.observed = new Set(questions.evidence.keys());
    painter.moved = painter.observed.size ? this.graph.names.map((_, node) => questions.moved(node)) : null;
    this.still = null;
    this.showLegend();
    this.redraw();
  }

  showLegend() {
    this.legend.replaceChildren(
      ...(this.questions && this.questions.evidence.size ? evidenceLegend() : []),
      ...legendOf(this.content, this.selected !== null, this.width, (by) => {
        this.width = by;
        this.painter.chooseWidths(by);
        this.redraw();
      }),
    );
    this.legend.hidden = this.legend.childElementCount === 0;
  }
}

/** What the marks of evidence mean. */
function evidenceLegend() {
  return [
    element("span", {}, element("i", { class: "swatch observed" }), "evidence"),
    element("span", {}, element("i", { class: "swatch moved" }), "how far it moves a node"),
  ];
}

/** What colours, dashes and widths mean in this network. */
function legendOf({ arcs, reference }, selected, width, widthChosen) {
  const items = [];
  const line = (text, colour, dashes) => items.push(element("span", {}, lineSample(colour, dashes), text));
  if (selected) {
    for (const [role, text] of [
      ["selected", "selected"],
      ["parent", "parents"],
      ["child", "children"],
      ["spouse", "rest of the Markov blanket"],
    ]) {
      items.push(element("span", {}, element("i", { class: `swatch ${role}` }), text));
    }
  }
  if (reference) {
    const count = (status) => grouped.format(reference.status.filter((one) => one === status).length);
    line(`as in the reference (${count("same")})`, "--arc");
    line(`reversed (${count("reversed")})`, "--reversed");
    line(`not in the reference (${count("extra")})`, "--extra");
    line(`missing (${grouped.format(reference.missing.length)})`, "--missing", "2 4");
  }
  if (arcs.reversible.some(Boolean)) line("direction not determined", "--arc", "5 4");
  const words = { share: "how sure, either way", gain: "gain in score" };
  if (arcs.share && arcs.gain) {
    const choice = element(
      "select",
      { "aria-label": "Width of the arcs", onchange: () => widthChosen(choice.value) },
      Object.entries(words).map(([value, text]) => element("option", { value, selected: value === width }, text)),
    );
    items.push(element("span", {}, "width:", choice));
  } else if (width) {
    items.push(element("span", {}, `width: ${words[width]}`));
  }
  return items;
}

function lineSample(colour, dashes = null) {
  const line = shape("line", { x1: 1, x2: 25, y1: 5, y2: 5, "stroke-width": 2, "stroke-dasharray": dashes });
  line.style.stroke = `var(${colour})`;
  return shape("svg", { width: 26, height: 10, "aria-hidden": "true" }, line);
}

function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
