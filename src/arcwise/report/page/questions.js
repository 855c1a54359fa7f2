// What was observed, and what follows from it: evidence on nodes, and the answer of the network.

/** Evidence, the answer to it, and those who want to know of both. */
class Questions {
  /** `model` finds the answer to evidence, a map from nodes to what was observed, for each of its nodes. */
  constructor(graph, model, nodes) {
    Object.assign(this, { graph, model, nodes });
    this.evidence = new Map();
    this.answer = this.prior = model.answer(this.evidence);
    this.listeners = [];
  }

  observe(node, value) {
    this.evidence.set(node, value);
    this.ask();
  }

  forget(node) {
    this.evidence.delete(node);
    this.ask();
  }

  clear() {
    this.evidence.clear();
    this.ask();
  }

  ask() {
    this.answer = this.model.answer(this.evidence);
    for (const listener of this.listeners) listener();
    const { size } = this.evidence;
    announce(size ? `Evidence on ${counted(size, "node")}. ${this.summary()}` : "No evidence");
  }

  finding(node) {
    return `${this.graph.labels[node]} = ${this.valueText(node, this.evidence.get(node))}`;
  }

  /** How far the evidence has moved a node, from 0 to 1. */
  moved(node) {
    const before = this.prior.posteriors[node];
    return this.answer && before ? this.distance(before, this.answer.posteriors[node]) : 0;
  }
}

/** Questions about states: what is observed is a state, and a posterior has a probability for each. */
class StateQuestions extends Questions {
  constructor(content, graph) {
    const { states } = content.nodes;
    const arities = states.map((labels) => labels.length);
    const tree = new JunctionTree(content.questions, arities, (node) => graph.parents(node));
    super(graph, tree, [...graph.names.keys()].filter((node) => content.questions.homes[node] !== null));
    this.states = states.map((labels) => labels.map(visible));
    this.hint = "Click a state to take it as observed.";
    this.introduction =
      "Click a state to take it as observed, and again to take it back: the bars of all other nodes show what follows. " +
      "The thin mark is where a bar is without evidence.";
  }

  barsOf(node) {
    return new StateBars(this, node);
  }

  valueText(node, state) {
    return this.states[node][state];
  }

  /** How probable the evidence is, in words. */
  summary() {
    if (this.answer === null)
      return "This evidence is impossible: no case of this network has all of it. Take something away.";
    return `Probability of this evidence: ${rareText(this.answer.logProbability)}`;
  }

  /** The probability that has gone to other states. */
  distance(before, after) {
    return after.reduce((sum, share, state) => sum + Math.abs(share - before[state]), 0) / 2;
  }
}

/** Questions about numbers: what is observed is a number, and a posterior is a normal distribution. */
class NumberQuestions extends Questions {
  constructor(content, graph) {
    super(graph, new GaussianModel(content.questions.gaussian, (node) => graph.parents(node)), [...graph.names.keys()]);
    this.hint = "Type a number to take it as observed.";
    this.introduction =
      "Type a number to take it as observed, and delete it to take it back: mean and standard deviation of all other " +
      "nodes follow. A bar holds 95 % of what is to be expected; the thin mark is the mean without evidence.";
  }

  barsOf(node) {
    return new NumberBars(this, node);
  }

  valueText(_, value) {
    return String(value);
  }

  /** How far off the observed numbers are, in words. */
  summary() {
    const { distance } = this.answer;
    const { size } = this.evidence;
    const [far, usual] = [distance, Math.sqrt(size)].map((number) => oneDigit.format(number));
    return (
      `This evidence is ${far} standard deviations from what is expected; ` +
      `for ${counted(size, "number")} ${usual} is usual.`
    );
  }

  /** The distance of Hellinger, between normal distributions. */
  distance(before, after) {
    const squares = before.deviation ** 2 + after.deviation ** 2;
    const alike = Math.sqrt((2 * before.deviation * after.deviation) / squares);
    return Math.sqrt(Math.max(0, 1 - alike * Math.exp(-((before.mean - after.mean) ** 2) / (4 * squares))));
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
