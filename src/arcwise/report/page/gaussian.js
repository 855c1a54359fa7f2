// Posteriors in a network whose nodes are all continuous: one normal distribution, conditioned on some of its numbers.

const DETERMINED = 1e-12; // of a variance: what is left of it where other numbers determine a number

class GaussianModel {
  /** `order` has parents before children; the other lists have for each node its regression on `parentsOf(node)`. */
  constructor({ order, intercepts, coefficients, deviations }, parentsOf) {
    const size = order.length;
    this.size = size;
    this.means = new Float64Array(size);
    this.covariances = new Float64Array(size * size);
    const done = [];
    for (const node of order) {
      const parents = parentsOf(node);
      const slopes = coefficients[node];
      const sum = (valueOf) => parents.reduce((total, parent, k) => total + slopes[k] * valueOf(parent), 0);
      this.means[node] = intercepts[node] + sum((parent) => this.means[parent]);
      for (const other of done) {
        const shared = sum((parent) => this.covariances[parent * size + other]);
        this.covariances[node * size + other] = this.covariances[other * size + node] = shared;
      }
      const explained = sum((parent) => this.covariances[parent * size + node]);
      this.covariances[node * size + node] = deviations[node] ** 2 + explained;
      done.push(node);
    }
  }

  /**
   * Mean and standard deviation of each node given the numbers of some, a map, and the `distance` of these from their
   * means, in standard deviations (Mahalanobis). What is observed is taken one by one, each as far as those before it
   * do not tell it: the rows of a triangular factor of their covariances.
   */
  answer(evidence) {
    const { size, covariances } = this;
    const means = this.means.slice();
    const variances = Float64Array.from(means, (_, node) => covariances[node * size + node]);
    const rows = [];
    let squares = 0;
    for (const [node, number] of evidence) {
      const own = covariances[node * size + node];
      const left = Math.max(variances[node], DETERMINED * own);
      const step = (number - means[node]) / Math.sqrt(left);
      const row = covariances.slice(node * size, (node + 1) * size);
      for (const before of rows) {
        const share = before[node];
        for (let other = 0; other < size; other++) row[other] -= share * before[other];
      }
      for (let other = 0; other < size; other++) {
        row[other] /= Math.sqrt(left);
        means[other] += row[other] * step;
        variances[other] -= row[other] ** 2;
      }
      rows.push(row);
      squares += step ** 2;
    }
    const posteriors = Array.from(means, (mean, node) => {
      if (evidence.has(node)) return { mean: evidence.get(node), deviation: 0 };
      return { mean, deviation: Math.sqrt(Math.max(variances[node], DETERMINED * covariances[node * size + node])) };
    });
    return { posteriors, distance: Math.sqrt(squares) };
  }
}
