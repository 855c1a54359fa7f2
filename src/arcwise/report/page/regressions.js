// Continuous nodes: how their numbers are spread, and how they depend on those of their parents.

const MOST_SCATTERS = 12;

/** A node as a sum of what its parents add, or a table of such sums where it has discrete parents. */
function regressionSection(content, graph, node) {
  const table = content.nodes.tables && content.nodes.tables[node];
  if (!table || !table.regressions || !content.nodes.states) return [];
  const parents = graph.parents(node);
  const isDiscrete = (parent) => content.nodes.states[parent].length > 0;
  const discrete = parents.filter(isDiscrete);
  const continuous = parents.filter((parent) => !isDiscrete(parent));
  const heading = parents.length ? "Distribution given the parents" : "Distribution";
  const note = element("p", { class: "quiet note" }, "± is the standard deviation of a normal distribution.");
  if (discrete.length)
    return [
      ...tableSection(graph.labels[node], heading, table, (id) =>
        regressionTable(content, graph, { table, discrete, continuous }, id),
      ),
      note,
    ];
  const terms = continuous.map((parent) => graph.labels[parent]);
  const text = `${graph.labels[node]} = ${equation(table.regressions, terms)}`;
  return [element("h4", {}, heading), element("p", { class: "name", id: "node-equation" }, text), note];
}

/** "70.1 + 5.06 · dose ± 3" of an intercept, a coefficient for each name, and a deviation. */
function equation(numbers, names) {
  const deviation = numbers[names.length + 1];
  const terms = names.map((name, index) => {
    const slope = numbers[index + 1];
    return `${slope < 0 ? "−" : "+"}\u00a0${numberText(Math.abs(slope))}\u00a0·\u00a0${name}`;
  });
  return [interceptText(numbers[0], deviation), ...terms, `±\u00a0${numberText(deviation)}`].join(" ");
}

/** A row for each configuration of the discrete parents: intercept, coefficients of the continuous ones, deviation. */
function regressionTable(content, graph, { table, discrete, continuous }, id) {
  const width = continuous.length + 2;
  const head = (text, title) => element("th", { scope: "col", class: "numeric", title }, text);
  const cell = (value, text) => element("td", { title: String(value) }, text);
  const heads = [
    head("intercept", "Mean where the continuous parents are 0"),
    ...continuous.map((parent) => head(`· ${graph.labels[parent]}`, `Coefficient of ${graph.labels[parent]}`)),
    head("±", "Standard deviation"),
  ];
  const cells = (row) => {
    const numbers = table.regressions.slice(row * width, (row + 1) * width);
    const deviation = numbers[width - 1];
    return [
      cell(numbers[0], interceptText(numbers[0], deviation)),
      ...numbers.slice(1).map((value) => cell(value, numberText(value))),
    ];
  };
  return configurationTable(content, graph, discrete, { id, shown: table.shown, heads, cells });
}

/** A number with so many digits or all before the point, as a power of ten where it would be long. */
function numberText(value, digits = 3) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size < 1e-4 || size >= 1e7) return sign + String(Number(size.toPrecision(digits)));
  const wanted = Math.max(digits, Math.floor(Math.log10(size)) + 1);
  const format = new Intl.NumberFormat("en", { minimumSignificantDigits: wanted, maximumSignificantDigits: wanted });
  return sign + format.format(size);
}

/** Three digits, or as many as reach the second digit of the deviation, or of another measure of what is large. */
function interceptText(value, deviation) {
  if (value === 0) return "0";
  const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(deviation)) + 2;
  return numberText(value, Math.min(Math.max(digits, 3), 17));
}

/** How many observations are where between the least and the largest number; nothing where that is not known. */
function histogramSection(content, node) {
  const histogram = content.nodes.histograms && content.nodes.histograms[node];
  if (!histogram) return [];
  const { counts, from, to } = histogram;
  const most = counts.reduce((one, other) => Math.max(one, other), 1);
  const [width, height, bottom] = [360, 104, 84];
  const step = width / counts.length;
  const at = (index) =>
    interceptText(from * (1 - index / counts.length) + to * (index / counts.length), to / 24 - from / 24);
  const bars = counts.map((count, index) => {
    const high = (count / most) * (bottom - 4);
    return shape(
      "rect",
      { class: "inside", x: index * step + 0.5, width: step - 1, y: bottom - high, height: high },
      shape("title", {}, `${counted(count, "observation")}: ${at(index)} to ${at(index + 1)}`),
    );
  });
  const drawing = shape(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Histogram with ${counted(counts.length, "bar")}` },
    bars,
    shape("line", { class: "axis", x1: 0, x2: width, y1: bottom, y2: bottom }),
    ...rangeTexts(histogram, width, height),
  );
  return [element("div", { class: "chart", id: "node-histogram" }, drawing)];
}

/** The least and the largest number at both ends of an axis. */
function rangeTexts({ from, to }, width, y) {
  return [
    shape("text", { x: 0, y: y - 6 }, interceptText(from, to / 4 - from / 4)),
    shape("text", { x: width, y: y - 6, "text-anchor": "end" }, interceptText(to, to / 4 - from / 4)),
  ];
}

/** Some rows of the data: a continuous node against each of its continuous parents. */
function scatterSection(content, graph, node) {
  const { points, histograms } = content.nodes;
  if (!points || !histograms || !points.values[node] || !histograms[node]) return [];
  const parents = graph.parents(node).filter((parent) => points.values[parent] && histograms[parent]);
  if (!parents.length) return [];
  const shown = parents.slice(0, MOST_SCATTERS);
  const left =
    shown.length < parents.length ? `; first ${shown.length} of ${grouped.format(parents.length)} parents` : "";
  const told =
    points.rows < points.of ? `${points.rows} of ${counted(points.of, "row")}` : counted(points.rows, "row");
  return [
    element("h4", {}, "Against its continuous parents"),
    element("p", { class: "quiet" }, `${graph.labels[node]} upwards; ${told} of the data${left}`),
    element(
      "div",
      { class: "scatters", id: "node-scatters" },
      shown.map((parent) => scatter(content, graph, parent, node)),
    ),
  ];
}

function scatter({ nodes: { points, histograms } }, graph, parent, node) {
  const size = 150;
  const place = (value) => 4 + ((size - 8) * value) / 999;
  const [across, up] = [points.values[parent], points.values[node]];
  const dots = across.map((x, row) =>
    shape("circle", { class: "dot", r: 1.8, cx: place(x).toFixed(1), cy: (size - place(up[row])).toFixed(1) }),
  );
  const told = `${graph.labels[node]} (upwards) against ${graph.labels[parent]}`;
  return element(
    "figure",
    { class: "chart" },
    shape(
      "svg",
      { viewBox: `0 0 ${size} ${size + 20}`, role: "img", "aria-label": told },
      shape("title", {}, told),
      shape("path", { class: "frame", d: `M0.5,0V${size}H${size}` }),
      dots,
      ...rangeTexts(histograms[parent], size, size + 20),
    ),
    element("figcaption", { class: "name" }, graph.labels[parent]),
  );
}
