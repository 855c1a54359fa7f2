// The table of a discrete node: its probabilities given the states of its parents.

/** The table of a node under a heading; nothing where it is not known. */
function probabilitySection(content, graph, node) {
  const table = content.nodes.tables && content.nodes.tables[node];
  if (!table || !table.probabilities || !content.nodes.states) return [];
  const heading = graph.incoming[node].length ? "Probabilities given the parents" : "Probabilities";
  return tableSection(graph.labels[node], heading, table, (id) => probabilityTable(content, graph, node, id));
}

/** A table that `make(id)` makes under a heading, with what is left out of it and a button that shows it large. */
function tableSection(title, heading, table, make) {
  const note =
    table.shown < table.rows
      ? [element("p", { class: "quiet" }, `first ${grouped.format(table.shown)} of ${grouped.format(table.rows)} rows`)]
      : [];
  const scrolling = (id) =>
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": heading }, make(id));
  const enlarge = element(
    "button",
    {
      type: "button",
      class: "small",
      onclick: () => enlarged(title, [...note.map((one) => one.cloneNode(true)), scrolling(null)]),
    },
    "Enlarge",
  );
  return [element("div", { class: "heading" }, element("h4", {}, heading), enlarge), ...note, scrolling("node-table")];
}

/** The probabilities of a node's states, a row for each configuration of its parents. */
function probabilityTable(content, graph, node, id) {
  const table = content.nodes.tables[node];
  const labels = content.nodes.states[node].map(visible);
  const heads = labels.map((label) => element("th", { scope: "col", class: "numeric", title: label }, label));
  const cells = (row) => labels.map((_, state) => probabilityCell(table.probabilities[row * labels.length + state]));
  return configurationTable(content, graph, graph.parents(node), { id, shown: table.shown, heads, cells });
}

/** A table with a row for each configuration of some discrete parents, in which `cells(row)` follow their states. */
function configurationTable(content, graph, parents, { id, shown, heads, cells }) {
  const columns = parents.map((parent, index) =>
    element(
      "th",
      { scope: "col", class: index === parents.length - 1 && "last", title: graph.labels[parent] },
      graph.labels[parent],
    ),
  );
  const body = element("tbody");
  let before = [];
  for (let row = 0; row < shown; row++) {
    const configuration = configurationOf(
      row,
      parents.map((parent) => content.nodes.states[parent].length),
    );
    // What is as in the row above is shown lighter, so that one sees what changes.
    const firstNew = configuration.findIndex((state, index) => state !== before[index]);
    before = configuration;
    body.append(
      element(
        "tr",
        {},
        configuration.map((state, index) =>
          element(
            "th",
            { scope: "row", class: index < firstNew && "again" },
            visible(content.nodes.states[parents[index]][state]),
          ),
        ),
        cells(row),
      ),
    );
  }
  return element(
    "table",
    { class: "probabilities", id },
    element("thead", {}, element("tr", {}, columns, heads)),
    body,
  );
}

/** Show something in a window of its own over the page. */
function enlarged(title, parts) {
  const dialog = element(
    "dialog",
    { "aria-label": title, onclose: () => dialog.remove() },
    element(
      "header",
      {},
      element("h3", { class: "name" }, title),
      element("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => dialog.close() }, "×"),
    ),
    parts,
  );
  document.body.append(dialog);
  dialog.showModal();
}

function probabilityCell(value) {
  const cell = element("td", { title: String(value) }, probabilityText(value));
  cell.style.backgroundColor = `color-mix(in srgb, var(--accent) ${(45 * value).toFixed(1)}%, transparent)`;
  return cell;
}

/** The states of the parents in a row of a table, where the last parent changes fastest. */
function configurationOf(row, arities) {
  const states = [];
  for (let index = arities.length - 1; index >= 0; index--) {
    states.unshift(row % arities[index]);
    row = Math.floor(row / arities[index]);
  }
  return states;
}
