// The sections around the network, each shown where there is something to show.

function showHead(content) {
  byId("title").textContent = content.title;
  const { warnings, summary } = content;
  if (warnings.length) {
    fillSection(
      "warnings",
      counted(warnings.length, "warning"),
      element(
        "ul",
        {},
        warnings.map((text) => element("li", {}, text)),
      ),
    );
  }
  byId("summary").append(
    element(
      "dl",
      { class: "cards" },
      summary.map(([name, value, note]) =>
        element(
          "div",
          { class: "card" },
          element("dt", {}, name),
          element("dd", {}, value, ...(note ? [element("small", {}, note)] : [])),
        ),
      ),
    ),
  );
}

/** Links to the sections that are there. */
function showContents() {
  const titles = {
    network: "Network",
    ask: "Ask",
    score: "Score",
    strengths: "Strengths",
    reference: "Reference",
    data: "Data",
    reproduce: "Settings",
  };
  byId("contents").append(
    ...Object.entries(titles)
      .filter(([id]) => !byId(id).hidden)
      .map(([id, title]) => element("a", { href: `#${id}` }, title)),
  );
}

/** All arcs as a table, made when it is unfolded. */
function arcList(content, graph, visit) {
  const { gain, share, reversible } = content.arcs;
  const status = content.reference && content.reference.status;
  const words = { same: "same", reversed: "reversed", extra: "not in the reference" };
  const number = (title, values, text) =>
    values ? [{ title, value: (arc) => values[arc], cell: (arc) => text(values[arc]), numeric: true }] : [];
  const columns = [
    {
      title: "Parent",
      value: (arc) => graph.labels[graph.from[arc]],
      cell: (arc) => nodeLink(graph, graph.from[arc], visit),
    },
    {
      title: "Child",
      value: (arc) => graph.labels[graph.to[arc]],
      cell: (arc) => nodeLink(graph, graph.to[arc], visit),
    },
    ...number("Gain", gain, gainText),
    ...number("Share, either way", share, percent),
    {
      title: "Direction",
      value: (arc) => (reversible[arc] ? 1 : 0),
      cell: (arc) => (reversible[arc] ? "not determined" : "determined"),
    },
    ...(status ? [{ title: "Reference", value: (arc) => words[status[arc]], cell: (arc) => words[status[arc]] }] : []),
  ];
  const details = element(
    "details",
    { id: "arcs" },
    element("summary", {}, `All ${counted(graph.from.length, "arc")} as a table`),
  );
  details.addEventListener(
    "toggle",
    () => {
      details.append(
        longTable({
          label: "Arcs",
          columns,
          rows: graph.from.map((_, arc) => arc),
          words: (arc) => `${graph.labels[graph.from[arc]]} ${graph.labels[graph.to[arc]]}`,
        }),
      );
    },
    { once: true },
  );
  return details;
}

function showScore(content) {
  if (content.trace.length || content.bounds.length || content.bound !== null)
    fillSection("score", "Score over time", ...scoreChart(content));
}

function showStrengths(content, graph, visit) {
  const { strengths } = content;
  if (!strengths) return;
  const arcs = new Set(graph.from.map((from, arc) => from * graph.size + graph.to[arc]));
  // Each pair in the direction of its arc, or else in the direction found more often.
  const pairs = strengths.pairs.map(([i, j, there, back]) => {
    const inGraph = arcs.has(i * graph.size + j) || arcs.has(j * graph.size + i);
    const turn = inGraph ? arcs.has(j * graph.size + i) : back > there;
    return {
      from: turn ? j : i,
      to: turn ? i : j,
      ahead: turn ? back : there,
      back: turn ? there : back,
      share: there + back,
      inGraph,
    };
  });
  const number = (title, value) => ({ title, value, cell: (row) => percent(value(row)), numeric: true });
  const table = longTable({
    label: "Strengths of pairs",
    rows: pairs,
    sortedBy: [2, false],
    words: (row) => `${graph.labels[row.from]} ${graph.labels[row.to]}`,
    mark: (row) => (row.inGraph ? null : "absent"),
    columns: [
      { title: "From", value: (row) => graph.labels[row.from], cell: (row) => nodeLink(graph, row.from, visit) },
      { title: "To", value: (row) => graph.labels[row.to], cell: (row) => nodeLink(graph, row.to, visit) },
      number("Either way", (row) => row.share),
      number("This way", (row) => row.ahead),
      number("Other way", (row) => row.back),
      {
        title: "Graph",
        value: (row) => (row.inGraph ? 0 : 1),
        cell: (row) => (row.inGraph ? "in the graph" : "not in the graph"),
      },
    ],
  });
  const replicas = strengths.replicas === null ? "the replicas" : counted(strengths.replicas, "replica");
  const meaning = strengths.is_posterior
    ? "How probable it is, given the data, that two nodes are joined, and in which direction."
    : `In how many of ${replicas} of the data the search joined two nodes, and in which direction.`;
  const inside = pairs.filter((pair) => pair.inGraph).length;
  fillSection(
    "strengths",
    "Arc strengths",
    element("p", {}, meaning),
    strengths.note ? element("p", { class: "quiet" }, strengths.note) : "",
    element(
      "div",
      { class: "keyline" },
      element("span", {}, element("i", { class: "swatch inside" }), `in the graph: ${counted(inside, "pair")}`),
      element(
        "span",
        {},
        element("i", { class: "swatch outside" }),
        `not in the graph: ${counted(pairs.length - inside, "pair")}`,
      ),
    ),
    shareHistogram(pairs),
    table,
  );
}

function showReference({ reference }) {
  if (reference && reference.rows.length)
    fillSection("reference", "Compared with the reference", pairTable(reference.rows));
}

function showData({ data }) {
  if (data) fillSection("data", "Data", pairTable(data.rows));
}

function showReproduction({ command, settings, versions }) {
  const table = (title, rows) => (rows.length ? [element("div", {}, element("h4", {}, title), pairTable(rows))] : []);
  if (!command && !settings.length && !versions.length) return;
  fillSection(
    "reproduce",
    command ? "Make it again" : "Settings and versions",
    ...(command ? [commandBox(command)] : []),
    element("div", { class: "columns" }, ...table("Settings", settings), ...table("Versions", versions)),
  );
}

/** The command with a button that copies it; where the clipboard is closed the text is selected instead. */
function commandBox(command) {
  const text = element("pre", { id: "command", tabindex: 0 }, command);
  const button = element(
    "button",
    {
      type: "button",
      class: "primary",
      onclick: async () => {
        let copied;
        try {
          await navigator.clipboard.writeText(command);
          copied = true;
        } catch {
          getSelection().selectAllChildren(text);
          copied = document.execCommand("copy");
        }
        button.textContent = copied ? "Copied" : "Selected";
        announce(copied ? "The command was copied" : "The command is selected");
        setTimeout(() => {
          button.textContent = "Copy";
        }, 1600);
      },
    },
    "Copy",
  );
  return element("div", { class: "command" }, text, button);
}
