// Questions to the network: states that are clicked are evidence, and the bars of all other nodes follow.

const CARDS_AT_ONCE = 60;
const STATES_SHOWN = 100;

/** What was observed, and what follows from it. */
class Questions {
  constructor(content, graph) {
    const { states } = content.nodes;
    this.graph = graph;
    this.states = states.map((labels) => labels.map(visible));
    this.tree = new JunctionTree(
      content.questions,
      states.map((labels) => labels.length),
      (node) => graph.parents(node),
    );
    this.nodes = graph.names.map((_, node) => node).filter((node) => content.questions.homes[node] !== null);
    this.evidence = new Map();
    this.answer = this.prior = this.tree.answer(this.evidence);
    this.listeners = [];
  }

  /** Take a state as observed, or no longer if it was. */
  toggle(node, state) {
    if (this.evidence.get(node) === state) this.evidence.delete(node);
    else this.evidence.set(node, state);
    this.ask();
  }

  clear() {
    this.evidence.clear();
    this.ask();
  }

  ask() {
    this.answer = this.tree.answer(this.evidence);
    for (const listener of this.listeners) listener();
    announce(this.evidence.size ? `Evidence on ${counted(this.evidence.size, "node")}. ${this.summary()}` : "No evidence");
  }

  finding(node) {
    return `${this.graph.labels[node]} = ${this.states[node][this.evidence.get(node)]}`;
  }

  /** How probable the evidence is, in words. */
  summary() {
    if (this.answer === null)
      return "This evidence is impossible: no case of this network has all of it. Take something away.";
    const { logProbability } = this.answer;
    return `Probability of this evidence: ${rareText(logProbability)}`;
  }

  /** How far the evidence has moved a node: the probability that has gone to other states, from 0 to 1. */
  moved(node) {
    if (this.answer === null || this.prior.posteriors[node] === null) return 0;
    const before = this.prior.posteriors[node];
    return this.answer.posteriors[node].reduce((sum, share, state) => sum + Math.abs(share - before[state]), 0) / 2;
  }
}

/** The bars of one node, each a button that makes its state evidence. */
class NodeBars {
  constructor(questions, node) {
    Object.assign(this, { questions, node });
    const labels = questions.states[node];
    this.rows = labels.slice(0, STATES_SHOWN).map((label, state) => this.row(label, state));
    this.box = element(
      "div",
      { class: "askable", role: "group", "aria-label": `States of ${questions.graph.labels[node]}` },
      this.rows.map(({ button }) => button),
      labels.length > STATES_SHOWN
        ? element("p", { class: "quiet" }, `first ${STATES_SHOWN} of ${grouped.format(labels.length)} states`)
        : null,
    );
    this.update();
  }

  row(label, state) {
    const bar = element("i");
    const mark = element("b");
    mark.style.left = `${(100 * this.questions.prior.posteriors[this.node][state]).toFixed(2)}%`;
    const number = element("span", { class: "number" });
    const button = element(
      "button",
      { type: "button", "aria-pressed": "false", onclick: () => this.questions.toggle(this.node, state) },
      element("span", { class: "state" }, label),
      element("span", { class: "track", "aria-hidden": "true" }, bar, mark),
      number,
    );
    return { button, bar, number, label };
  }

  update() {
    const { answer, prior, evidence } = this.questions;
    const shares = answer && answer.posteriors[this.node];
    this.box.classList.toggle("observed", evidence.has(this.node));
    this.rows.forEach(({ button, bar, number, label }, state) => {
      const share = shares ? shares[state] : 0;
      const before = chanceText(prior.posteriors[this.node][state]);
      bar.style.width = `${(100 * share).toFixed(2)}%`;
      number.textContent = shares ? chanceText(share) : "–";
      button.setAttribute("aria-pressed", evidence.get(this.node) === state);
      button.title = evidence.size ? `${label}: ${number.textContent}, without evidence ${before}` : label;
    });
  }
}

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
          onclick: () => questions.toggle(node, evidence.get(node)),
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
    this.evidence = new EvidenceLine(questions, "No evidence yet: click a state.");
    this.grid = element("div", {
      class: "asking",
      id: "ask-nodes",
      role: "region",
      tabindex: 0,
      "aria-label": "Nodes and their states",
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
      element(
        "p",
        {},
        "Click a state to take it as observed, and again to take it back: the bars of all other nodes show what follows. The thin mark is where a bar is without evidence.",
      ),
      ...remark,
      this.evidence.box,
      element("div", { class: "filter" }, this.filter, this.choice, this.status, this.more),
      this.grid,
    );
    this.fill();
  }

  card(node) {
    if (!this.cards.has(node)) {
      const bars = new NodeBars(this.questions, node);
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

/** A share in percent; the smallest ones do not pass for zero, nor the largest for one. */
function chanceText(share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share >= 0.9995) return "> 99.9 %";
  return percent(share);
}

/** A probability that may be very small, from its natural logarithm. */
function rareText(logarithm) {
  const probability = Math.exp(logarithm);
  if (probability >= 0.1) return chanceText(probability);
  if (logarithm > -14) return `${significant.format(100 * probability)} %, 1 in ${grouped.format(1 / probability)}`;
  const exponent = Math.floor(logarithm / Math.LN10);
  const leading = Math.exp(logarithm - exponent * Math.LN10);
  return `${leading.toFixed(1)} · 10^${exponent}`.replace("^-", "^−");
}

/** Say why the page does not answer. */
function showRefusal({ refusal }) {
  fillSection("ask", "Ask the network", element("p", { id: "ask-refusal" }, refusal));
}
