// The bars of one node given the evidence, by which evidence is given as well.

const STATES_SHOWN = 100;
const SEEN = 4; // standard deviations to either side of the mean without evidence
const NEARLY_ALL = 1.96; // standard deviations to either side of a mean that hold 95 %

/** The bars of one node, each a button that makes its state evidence. */
class StateBars {
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
      { type: "button", "aria-pressed": "false", onclick: () => this.toggle(state) },
      element("span", { class: "state" }, label),
      element("span", { class: "track", "aria-hidden": "true" }, bar, mark),
      number,
    );
    return { button, bar, number, label };
  }

  toggle(state) {
    if (this.questions.evidence.get(this.node) === state) this.questions.forget(this.node);
    else this.questions.observe(this.node, state);
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

/** Where the numbers of one node are to be expected, and a field to type the one that was observed. */
class NumberBars {
  constructor(questions, node) {
    Object.assign(this, { questions, node });
    const name = questions.graph.labels[node];
    this.bar = element("i");
    this.point = element("u");
    this.text = element("span", { class: "number" });
    this.field = element("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: "number",
      "aria-label": `Observed number of ${name}`,
      onchange: () => this.read(),
    });
    const track = element("span", { class: "track", "aria-hidden": "true" }, this.bar, element("b"), this.point);
    this.box = element(
      "div",
      { class: "askable numbers", role: "group", "aria-label": `Numbers of ${name}` },
      element("div", {}, track, this.text, this.field),
    );
    this.update();
  }

  read() {
    const text = this.field.value.trim().replace("\u2212", "-");
    const number = Number(text);
    // A comma could mean thousands or parts of one: nothing is guessed.
    this.field.setAttribute("aria-invalid", !Number.isFinite(number));
    if (!Number.isFinite(number)) return;
    if (text !== "") this.questions.observe(this.node, number);
    else if (this.questions.evidence.has(this.node)) this.questions.forget(this.node);
  }

  update() {
    const { answer, prior, evidence } = this.questions;
    const before = prior.posteriors[this.node];
    const { mean, deviation } = answer.posteriors[this.node];
    const place = (number) => {
      const share = 0.5 + (number - before.mean) / (2 * SEEN * before.deviation);
      return 100 * Math.min(Math.max(share, 0), 1);
    };
    const [low, high] = [mean - NEARLY_ALL * deviation, mean + NEARLY_ALL * deviation].map(place);
    const observed = evidence.has(this.node);
    this.bar.style.left = `${low.toFixed(2)}%`;
    this.bar.style.width = `${(high - low).toFixed(2)}%`;
    this.point.style.left = `${place(mean).toFixed(2)}%`;
    this.text.textContent = observed ? "observed" : spreadText({ mean, deviation });
    this.text.title = `without evidence ${spreadText(before)}`;
    this.box.classList.toggle("observed", observed);
    if (document.activeElement !== this.field || !observed)
      this.field.value = observed ? String(evidence.get(this.node)) : "";
  }
}

function spreadText({ mean, deviation }) {
  return `${interceptText(mean, deviation)} ± ${numberText(deviation, 2)}`;
}
