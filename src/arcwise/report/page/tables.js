// Tables: pairs of names and values, and long ones that can be sorted, filtered and unfolded.

const ROWS_AT_ONCE = 200;

function pairTable(rows) {
  return element(
    "table",
    { class: "pairs" },
    element(
      "tbody",
      {},
      rows.map(([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, String(name)), element("td", {}, String(value))),
      ),
    ),
  );
}

/**
 * A long table. `columns`: {title, value(row) to sort by, cell(row) to show, numeric}; `words(row)` is what the filter
 * looks into; `mark(row)` gives a class of the row.
 */
function longTable({ label, columns, rows, words, mark = () => null, sortedBy = null }) {
  let [column, rising] = sortedBy || [null, true];
  let shown = ROWS_AT_ONCE;
  let sought = "";
  const body = element("tbody");
  const note = element("span", { class: "quiet", role: "status" });
  const more = element(
    "button",
    {
      type: "button",
      class: "more-rows",
      onclick: () => {
        shown += 5 * ROWS_AT_ONCE;
        fill();
      },
    },
    "Show more",
  );
  const heads = columns.map((one, index) =>
    element(
      "th",
      { scope: "col", class: one.numeric && "numeric" },
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            rising = column === index ? !rising : !one.numeric;
            column = index;
            fill();
          },
        },
        one.title,
      ),
    ),
  );

  const fill = () => {
    const kept = sought === "" ? rows.slice() : rows.filter((row) => folded(words(row)).includes(sought));
    if (column !== null) sortRows(kept, columns[column].value, rising);
    heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(
      ...kept.slice(0, shown).map((row) =>
        element(
          "tr",
          { class: mark(row) },
          columns.map((one) => element("td", { class: one.numeric && "numeric" }, one.cell(row))),
        ),
      ),
    );
    const visibleRows = Math.min(shown, kept.length);
    note.textContent =
      visibleRows < kept.length
        ? `first ${grouped.format(visibleRows)} of ${grouped.format(kept.length)} rows`
        : counted(kept.length, "row");
    more.hidden = visibleRows >= kept.length;
  };
  const filter = element("input", {
    type: "search",
    placeholder: "Filter by name",
    "aria-label": `Filter: ${label}`,
    oninput: () => {
      sought = folded(filter.value.trim());
      shown = ROWS_AT_ONCE;
      fill();
    },
  });
  fill();
  const table = element(
    "table",
    { class: "long", "aria-label": label },
    element("thead", {}, element("tr", {}, heads)),
    element("tbody"),
  );
  table.replaceChild(body, table.tBodies[0]);
  return element(
    "div",
    {},
    element("div", { class: "filter" }, filter, note, more),
    element("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": label }, table),
  );
}

/** Sort in place; rows that are equal keep their order, and those without a value come last. */
function sortRows(rows, value, rising) {
  const sign = rising ? 1 : -1;
  rows.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  });
}

/** A link that selects a node, here and when it is opened elsewhere. */
function nodeLink(graph, node, chosen) {
  return element(
    "a",
    {
      class: "node",
      href: hashOf(graph.names[node]),
      onclick: (event) => {
        event.preventDefault();
        chosen(node);
      },
    },
    graph.labels[node],
  );
}

/** The part of an address that selects a node; names with half a surrogate pair have none. */
function hashOf(name) {
  try {
    return `#node=${encodeURIComponent(name)}`;
  } catch {
    return "#network";
  }
}
