// The section in which the network is asked: what is observed, and the bars of all nodes.

const CARDS_AT_ONCE = 60;

/** What is observed so far, each finding a button that takes it away, and how probable all of it is. */
class EvidenceLine {
  /** `hint` is what is said as long as there is no evidence. */
  constructor(questions, hint) {
    Object.assign(this, { questions, hint });
    this.findings = element("span", { class: "findings" });
    this.summary = element("p", { class: "summary" });
    this.box = element("div", { class: "evidence" }, this.findings, this.summary);
    this.update();
  }

  update() {
    const { questions } = this;
    const { evidence, answer } = questions;
    const held = this.box.contains(document.activeElement);
    const chips = [...evidence.keys()].map((node) => {
      const text = questions.finding(node);
      return element(
        "button",
        {
          type: "button",
          class: "finding",
          title: text,
          "aria-label": `Take away ${text}`,
          onclick: () => questions.forget(node),
        },
        element("span", {}, shortened(text, 60)),
        " ×",
      );
    });
    const clear = element("button", { type: "button", class: "clear", onclick: () => questions.clear() }, "Clear all");
    this.findings.replaceChildren(...(chips.length ? [...chips, clear] : []));
    this.summary.textContent = evidence.size ? questions.summary() : this.hint;
    this.box.classList.toggle("impossible", answer === null);
    // The button that was clicked is gone: the next one takes the focus, so that keys lead on.
    if (held && chips.length) chips[chips.length - 1].focus();
  }
}

/** The section with the bars of all nodes. */
class AskSection {
  constructor(content, questions, visit) {
    Object.assign(this, { questions, visit, note: content.questions.note, selected: null, shown: CARDS_AT_ONCE });
    this.cards = new Map();
    this.evidence = new EvidenceLine(questions, "No evidence yet.");
    this.grid = element("div", {
      class: "asking",
      id: "ask-nodes",
      role: "region",
      tabindex: 0,
      "aria-label": "Nodes given the evidence",
    });
    this.status = element("span", { class: "quiet", role: "status" });
    this.lower = questions.graph.labels.map(folded);
    this.filter = element("input", {
      type: "search",
      placeholder: "Filter by name",
      "aria-label": "Filter the nodes",
      oninput: () => this.start(),
    });
    this.choice = element(
      "select",
      { "aria-label": "Which nodes are shown, in which order", onchange: () => this.start() },
      element("option", { value: "all" }, "all nodes"),
      element("option", { value: "moved" }, "moved most first"),
      element("option", { value: "near" }, "selected node and its Markov blanket"),
    );
    this.more = element("button", { type: "button", class: "more-rows", onclick: () => this.unfold() }, "Show more");
  }

  show() {
    const remark = this.note ? [element("p", { class: "quiet" }, this.note)] : [];
    this.section = fillSection(
      "ask",
      "Ask the network",
      element("p", {}, this.questions.introduction),
      ...remark,
      this.evidence.box,
      element("div", { class: "filter" }, this.filter, this.choice, this.status, this.more),
      this.grid,
    );
    this.fill();
  }

  card(node) {
    if (!this.cards.has(node)) {
      const bars = this.questions.barsOf(node);
      const box = element(
        "div",
        { class: "card-of-node" },
        element("h3", {}, nodeLink(this.questions.graph, node, this.visit)),
        bars.box,
      );
      this.cards.set(node, { bars, box });
    }
    return this.cards.get(node);
  }

  /** The nodes that are to be shown, in their order. */
  chosen() {
    const { questions, selected } = this;
    const sought = folded(this.filter.value.trim());
    let nodes = questions.nodes;
    if (this.choice.value === "near" && selected !== null) {
      const family = questions.graph.family(selected).roles;
      nodes = nodes.filter((node) => family.has(node)).sort((one, other) => (other === selected) - (one === selected));
    }
    if (sought !== "") nodes = nodes.filter((node) => this.lower[node].includes(sought));
    if (this.choice.value !== "moved") return nodes;
    const far = new Map(nodes.map((node) => [node, questions.evidence.has(node) ? 2 : questions.moved(node)]));
    return [...nodes].sort((one, other) => far.get(other) - far.get(one) || one - other);
  }

  start() {
    this.shown = CARDS_AT_ONCE;
    this.grid.scrollTop = 0;
    this.fill();
  }

  unfold() {
    this.shown += 5 * CARDS_AT_ONCE;
    this.fill();
  }

  fill() {
    const nodes = this.chosen();
    const focused = document.activeElement;
    const cards = nodes.slice(0, this.shown).map((node) => this.card(node));
    for (const { bars } of cards) bars.update();
    this.grid.replaceChildren(...cards.map(({ box }) => box));
    // A card that is put elsewhere loses the focus of its buttons.
    if (this.grid.contains(focused) && focused !== document.activeElement) focused.focus({ preventScroll: true });
    this.inSight = cards;
    const hint = this.choice.value === "near" && this.selected === null ? "; select a node in the network" : "";
    this.status.textContent =
      (cards.length < nodes.length
        ? `first ${grouped.format(cards.length)} of ${counted(nodes.length, "node")}`
        : counted(nodes.length, "node")) + hint;
    this.more.hidden = cards.length >= nodes.length;
  }

  update() {
    this.evidence.update();
    this.section.classList.toggle("asked", this.questions.evidence.size > 0);
    if (this.choice.value === "moved") this.fill();
    else for (const { bars } of this.inSight) bars.update();
  }

  select(node) {
    this.selected = node;
    if (this.choice.value === "near") this.start();
  }
}

/** Say why the page does not answer. */
function showRefusal({ refusal }) {
  fillSection("ask", "Ask the network", element("p", { id: "ask-refusal" }, refusal));
}
