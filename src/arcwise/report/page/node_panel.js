// What is known of the selected node: its states or numbers, its Markov blanket, its distribution.

class NodePanel {
  /** `visit` is called with the node of a link that was followed, `clear` to select none. */
  constructor(content, graph, { visit, clear }) {
    Object.assign(this, { content, graph, visit, clear });
    this.box = element("aside", { class: "panel", "aria-label": "Selected node" });
    this.show(null);
  }

  show(node) {
    this.box.replaceChildren(...(node === null ? this.introduction() : this.description(node)));
    this.box.scrollTop = 0;
  }

  /** What to do, and the nodes with the most arcs to begin with. */
  introduction() {
    const { graph } = this;
    const keys = [
      ["/", "search a node"],
      ["+ −", "zoom, as do wheel and pinch"],
      ["← ↑ ↓ →", "move; with Shift: go to the next node"],
      ["f", "fit"],
      ["Esc", "select nothing"],
    ];
    const hubs = graph
      .byDegree()
      .slice(0, 8)
      .filter((node) => graph.degree(node) > 0);
    return [
      element("h3", {}, `${counted(graph.size, "node")}, ${counted(graph.from.length, "arc")}`),
      element(
        "p",
        { class: "quiet hint" },
        this.content.nodes.numbers
          ? "Select a node to see its states or numbers, its Markov blanket and its distribution."
          : "Select a node to see its states, its Markov blanket and its probabilities.",
      ),
      ...(hubs.length
        ? [
            element("h4", {}, "Most connected"),
            this.relationTable(
              ["", "parents", "children"],
              hubs.map((node) => [
                this.link(node),
                grouped.format(graph.incoming[node].length),
                grouped.format(graph.outgoing[node].length),
              ]),
            ),
          ]
        : []),
      element("h4", { class: "hint" }, "Keys"),
      element(
        "dl",
        { class: "keys", id: "network-keys" },
        keys.flatMap(([key, text]) => [
          element(
            "dt",
            {},
            key.split(" ").map((one) => element("kbd", {}, one)),
          ),
          element("dd", {}, text),
        ]),
      ),
    ];
  }

  description(node) {
    const { graph, content } = this;
    const spouses = graph.spouses(node);
    const states = content.nodes.states && content.nodes.states[node];
    const facts = [
      ...(states ? [states.length ? counted(states.length, "state") : "continuous"] : []),
      counted(graph.incoming[node].length, "parent"),
      counted(graph.outgoing[node].length, "child", "children"),
      `Markov blanket of ${grouped.format(graph.degree(node) + spouses.size)}`,
    ];
    return [
      element(
        "header",
        {},
        element("h3", { class: "name", id: "node-name", title: graph.labels[node] }, graph.labels[node]),
        element(
          "button",
          {
            type: "button",
            class: "close",
            "aria-label": "Select nothing",
            title: "Select nothing (Esc)",
            onclick: this.clear,
          },
          "×",
        ),
      ),
      element("p", { class: "quiet" }, facts.join(" · ")),
      ...this.stateBars(node, states),
      ...this.gapNote(node),
      ...this.relations("parent", "Parents", graph.incoming[node], graph.from),
      ...this.relations("child", "Children", graph.outgoing[node], graph.to),
      ...this.spouseList(spouses),
      ...this.missingList(node),
      ...probabilitySection(content, graph, node),
      ...regressionSection(content, graph, node),
      ...scatterSection(content, graph, node),
    ];
  }

  link(node) {
    return nodeLink(this.graph, node, this.visit);
  }

  stateBars(node, states) {
    if (!states) return [];
    const numbers = this.content.nodes.numbers && this.content.nodes.numbers[node];
    if (numbers)
      return [
        element("h4", {}, "Numbers"),
        ...histogramSection(this.content, node),
        element("p", { id: "node-numbers" }, numbers),
      ];
    if (!states.length) return [];
    const counts = this.content.nodes.counts && this.content.nodes.counts[node];
    if (!counts)
      return [
        element("h4", {}, "States"),
        element("p", { class: "name", id: "node-states" }, shortened(states.map(visible).join(", "), 2000)),
      ];
    const total = counts.reduce((sum, count) => sum + count, 0);
    const most = counts.reduce((one, other) => Math.max(one, other), 1);
    const rows = states.slice(0, 100).map((state, index) => {
      const bar = element("i");
      bar.style.width = `${(100 * counts[index]) / most}%`;
      return [
        element("span", { class: "name" }, visible(state)),
        element("span", { class: "bar" }, bar),
        element("span", { class: "count" }, grouped.format(counts[index])),
        element("span", { class: "count" }, percent(total ? counts[index] / total : 0)),
      ];
    });
    const more =
      states.length > 100
        ? [element("p", { class: "quiet" }, `first 100 of ${grouped.format(states.length)} states`)]
        : [];
    return [
      element("h4", {}, "States and observations"),
      element("div", { class: "bars", id: "node-states" }, rows.flat()),
      ...more,
    ];
  }

  gapNote(node) {
    const missing = this.content.nodes.missing && this.content.nodes.missing[node];
    return missing ? [element("p", { class: "quiet", id: "node-missing" }, `missing in ${missing}`)] : [];
  }

  relationTable(heads, rows, id = null) {
    const head = heads.some((text) => text !== "")
      ? [
          element(
            "thead",
            {},
            element(
              "tr",
              {},
              heads.map((text) => element("th", { scope: "col" }, text)),
            ),
          ),
        ]
      : [];
    return element(
      "table",
      { class: "relations", id },
      head,
      element(
        "tbody",
        {},
        rows.map((cells) =>
          element(
            "tr",
            {},
            cells.map((cell) => element("td", {}, cell)),
          ),
        ),
      ),
    );
  }

  /** Parents or children: the ends of arcs, with what is known of each arc. */
  relations(role, title, arcs, ends) {
    if (arcs.length === 0) return [];
    const { gain, share } = this.content.arcs;
    const { reference } = this.content;
    const heads = ["", ...(gain ? ["gain"] : []), ...(share ? ["share"] : [])];
    const rows = arcs.map((arc) => {
      const status = reference ? reference.status[arc] : "same";
      const badge =
        status === "same"
          ? []
          : [element("span", { class: `badge ${status}` }, status === "extra" ? "not in the reference" : "reversed")];
      return [
        [this.link(ends[arc]), ...badge],
        ...(gain ? [gainText(gain[arc])] : []),
        ...(share ? [percent(share[arc])] : []),
      ];
    });
    return [this.title(role, title), this.relationTable(heads, rows, `node-${title.toLowerCase()}`)];
  }

  title(role, text) {
    return element("h4", {}, element("i", { class: `swatch ${role}` }), text);
  }

  spouseList(spouses) {
    if (spouses.size === 0) return [];
    const { labels } = this.graph;
    const rows = [...spouses].map(([node, children]) => [
      this.link(node),
      element(
        "span",
        { class: "quiet", title: children.map((child) => labels[child]).join(", ") },
        children.length === 1 ? `via ${shortened(labels[children[0]], 18)}` : `via ${children.length} children`,
      ),
    ]);
    return [this.title("spouse", "Rest of the Markov blanket"), this.relationTable(["", ""], rows, "node-spouses")];
  }

  /** Arcs of the reference that the graph has not. */
  missingList(node) {
    const missing = this.content.reference ? this.content.reference.missing.filter((arc) => arc.includes(node)) : [];
    if (missing.length === 0) return [];
    const rows = missing.map(([from, to]) => [
      this.link(from === node ? to : from),
      element("span", { class: "badge missing" }, from === node ? "missing child" : "missing parent"),
    ]);
    return [element("h4", {}, "Only in the reference"), this.relationTable(["", ""], rows, "node-missing")];
  }
}
