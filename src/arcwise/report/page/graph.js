// The graph of the report: who is whose parent, child, and in whose Markov blanket.

class Graph {
  constructor(content) {
    const { nodes, arcs } = content;
    this.names = nodes.name;
    this.labels = this.names.map(visible);
    this.size = this.names.length;
    this.from = arcs.from;
    this.to = arcs.to;
    this.indices = new Map(this.names.map((name, index) => [name, index]));
    this.incoming = this.names.map(() => []);
    this.outgoing = this.names.map(() => []);
    for (let arc = 0; arc < this.from.length; arc++) {
      this.outgoing[this.from[arc]].push(arc);
      this.incoming[this.to[arc]].push(arc);
    }
    // The tables list parents by ascending index.
    for (const arcsIn of this.incoming) arcsIn.sort((one, other) => this.from[one] - this.from[other]);
    for (const arcsOut of this.outgoing) arcsOut.sort((one, other) => this.to[one] - this.to[other]);
  }

  parents(node) {
    return this.incoming[node].map((arc) => this.from[arc]);
  }

  children(node) {
    return this.outgoing[node].map((arc) => this.to[arc]);
  }

  degree(node) {
    return this.incoming[node].length + this.outgoing[node].length;
  }

  /** The children's other parents that are neither parents nor children themselves, with the children they share. */
  spouses(node) {
    const near = new Set([node, ...this.parents(node), ...this.children(node)]);
    const shared = new Map();
    for (const child of this.children(node)) {
      for (const parent of this.parents(child)) {
        if (near.has(parent)) continue;
        if (!shared.has(parent)) shared.set(parent, []);
        shared.get(parent).push(child);
      }
    }
    return new Map([...shared].sort((one, other) => one[0] - other[0]));
  }

  /** The role that each node of the Markov blanket plays for a node, and the arcs among them that make it so. */
  family(node) {
    const roles = new Map([[node, "selected"]]);
    for (const spouse of this.spouses(node).keys()) roles.set(spouse, "spouse");
    for (const parent of this.parents(node)) roles.set(parent, "parent");
    for (const child of this.children(node)) roles.set(child, "child");
    const arcs = new Map();
    for (const child of this.children(node)) for (const arc of this.incoming[child]) arcs.set(arc, "spouse");
    for (const arc of this.incoming[node]) arcs.set(arc, "parent");
    for (const arc of this.outgoing[node]) arcs.set(arc, "child");
    return { roles, arcs };
  }

  byDegree() {
    return Array.from({ length: this.size }, (_, node) => node).sort(
      (one, other) => this.degree(other) - this.degree(one) || one - other,
    );
  }
}
