// Posteriors of all nodes given the states of some: messages along the network's junction tree, up to the top and back.

const FAINT = 1e-30; // numbers that are all below it are scaled up, before their products vanish

class JunctionTree {
  /** `questions` is what the report says of the tree; `parentsOf(node)` gives the axes of a table before its last. */
  constructor({ cliques, above, homes, tables }, arities, parentsOf) {
    Object.assign(this, { cliques, above, homes, arities });
    this.sizes = cliques.map((members) => this.sizeOf(members));
    this.potentials = this.sizes.map((size) => new Float64Array(size).fill(1));
    this.beliefs = this.sizes.map((size) => new Float64Array(size));
    this.multiplyTables(decodedNumbers(tables), parentsOf);
    const shared = cliques.map((members, clique) => this.sharedWithAbove(members, above[clique]));
    this.messages = shared.map((members) => new Float64Array(this.sizeOf(members)));
    // For each cell of a clique, and of the one above it, the cell of what they share.
    this.within = cliques.map((members, clique) => this.places(members, shared[clique]));
    this.outside = above.map((up, clique) => (up < 0 ? null : this.places(cliques[up], shared[clique])));
    this.smallest = this.smallestCliques();
  }

  sizeOf(members) {
    return members.reduce((size, node) => size * this.arities[node], 1);
  }

  sharedWithAbove(members, up) {
    const others = new Set(up < 0 ? [] : this.cliques[up]);
    return members.filter((node) => others.has(node));
  }

  /** For each cell of an array over some nodes, of which the last varies fastest, its cell in one over part of them. */
  places(members, part) {
    const strides = new Map();
    let stride = 1;
    for (const node of [...part].reverse()) {
      strides.set(node, stride);
      stride *= this.arities[node];
    }
    let places = new Int32Array(1);
    for (const node of members) {
      const arity = this.arities[node];
      const step = strides.get(node) || 0;
      const wider = new Int32Array(places.length * arity);
      for (let cell = 0, next = 0; cell < places.length; cell++) {
        for (let state = 0; state < arity; state++) wider[next++] = places[cell] + state * step;
      }
      places = wider;
    }
    return places;
  }

  multiplyTables(numbers, parentsOf) {
    let start = 0;
    this.homes.forEach((home, node) => {
      if (home === null) return;
      const axes = [...parentsOf(node), node];
      const table = numbers.subarray(start, start + this.sizeOf(axes));
      start += table.length;
      multiply(this.potentials[home], table, this.places(this.cliques[home], axes));
    });
  }

  /** For each node the smallest clique that has it; null for those in none. */
  smallestCliques() {
    const smallest = this.arities.map(() => null);
    this.cliques.forEach((members, clique) => {
      for (const node of members) {
        if (smallest[node] === null || this.sizes[clique] < this.sizes[smallest[node]]) smallest[node] = clique;
      }
    });
    return smallest;
  }

  /**
   * The posteriors of all nodes given the states of some, a map from nodes to states, and the natural logarithm of the
   * probability of that; null if it is impossible. Nodes in no clique have no posterior.
   */
  answer(evidence) {
    const logProbability = this.collect(evidence);
    if (logProbability === -Infinity) return null;
    this.distribute();
    return { posteriors: this.arities.map((_, node) => this.marginal(node)), logProbability };
  }

  /** From the leaves to the top: each clique tells the one above it what it knows of what they share. */
  collect(evidence) {
    let logProbability = 0;
    this.beliefs.forEach((belief, clique) => {
      belief.set(this.potentials[clique]);
      // In all cliques that have the node: messages are then about its state alone, and as large as they can be.
      for (const node of this.cliques[clique]) {
        if (evidence.has(node)) this.keepOnly(clique, node, evidence.get(node));
      }
    });
    for (let clique = this.cliques.length - 1; clique >= 0; clique--) {
      logProbability += scaledUp(this.beliefs[clique], largest(this.beliefs[clique]));
      const message = this.messages[clique];
      sumInto(message, this.beliefs[clique], this.within[clique]);
      const up = this.above[clique];
      if (up < 0) logProbability += Math.log(message[0]);
      else
        logProbability += scaledUp(this.beliefs[up], multiply(this.beliefs[up], message, this.outside[clique]));
      if (logProbability === -Infinity) break;
    }
    return logProbability;
  }

  /** And back: what a clique is told replaces what it told. */
  distribute() {
    this.cliques.forEach((_, clique) => {
      const told = this.messages[clique];
      const up = this.above[clique];
      const news = new Float64Array(told.length).fill(1);
      if (up >= 0) sumInto(news, this.beliefs[up], this.outside[clique]);
      for (let cell = 0; cell < news.length; cell++) news[cell] = told[cell] > 0 ? news[cell] / told[cell] : 0;
      multiply(this.beliefs[clique], news, this.within[clique]);
    });
  }

  /** How many cells one state of a node takes in a row, in the array of a clique. */
  strideOf(clique, node) {
    const members = this.cliques[clique];
    return this.sizeOf(members.slice(members.indexOf(node) + 1));
  }

  keepOnly(clique, node, state) {
    const belief = this.beliefs[clique];
    const stride = this.strideOf(clique, node);
    for (let start = 0, other = 0; start < belief.length; start += stride) {
      if (other !== state) belief.fill(0, start, start + stride);
      other = (other + 1) % this.arities[node];
    }
  }

  marginal(node) {
    const clique = this.smallest[node];
    if (clique === null) return null;
    const belief = this.beliefs[clique];
    const stride = this.strideOf(clique, node);
    const shares = new Float64Array(this.arities[node]);
    for (let start = 0, state = 0; start < belief.length; start += stride) {
      for (let cell = start; cell < start + stride; cell++) shares[state] += belief[cell];
      state = (state + 1) % shares.length;
    }
    const total = shares.reduce((sum, share) => sum + share, 0);
    return shares.map((share) => share / total); // what rounding has added up on the way is taken away
  }
}

function largest(numbers) {
  let most = 0;
  for (let cell = 0; cell < numbers.length; cell++) if (numbers[cell] > most) most = numbers[cell];
  return most;
}

/** Multiply an array by another one, whose cells are at `places`; gives the largest number. */
function multiply(numbers, factors, places) {
  let most = 0;
  for (let cell = 0; cell < numbers.length; cell++) {
    const product = numbers[cell] * factors[places[cell]];
    numbers[cell] = product;
    if (product > most) most = product;
  }
  return most;
}

function sumInto(sums, numbers, places) {
  sums.fill(0);
  for (let cell = 0; cell < numbers.length; cell++) sums[places[cell]] += numbers[cell];
}

/** Scale numbers up if their largest is faint; gives the logarithm of what they were divided by. */
function scaledUp(numbers, most) {
  if (most >= FAINT) return 0;
  if (most > 0) for (let cell = 0; cell < numbers.length; cell++) numbers[cell] /= most;
  return Math.log(most);
}

/** Numbers from the base 64 of their bytes, the lowest first. */
function decodedNumbers(text) {
  const signs = atob(text);
  const bytes = new DataView(new ArrayBuffer(signs.length));
  for (let place = 0; place < signs.length; place++) bytes.setUint8(place, signs.charCodeAt(place));
  const numbers = new Float64Array(signs.length / 8);
  for (let index = 0; index < numbers.length; index++) numbers[index] = bytes.getFloat64(8 * index, true);
  return numbers;
}
