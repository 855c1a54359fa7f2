// Finding a node by any part of its name.

const SUGGESTIONS = 12;

/** A search box over the nodes; `chosen` gets the node. Gives {box, input}. */
function searchBox(graph, chosen) {
  const list = element("ul", { id: "suggestions", role: "listbox", "aria-label": "Nodes", hidden: true });
  const input = element("input", {
    id: "search",
    type: "search",
    placeholder: `Search ${counted(graph.size, "node")}`,
    autocomplete: "off",
    spellcheck: "false",
    role: "combobox",
    "aria-label": "Search a node",
    "aria-controls": "suggestions",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
  });
  const lower = graph.labels.map(folded);
  let found = [];
  let active = 0;

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (node) => {
    close();
    input.value = "";
    input.blur();
    chosen(node);
  };
  const mark = (position) => {
    active = position;
    [...list.children].forEach((item, index) => {
      if (item.getAttribute("role") !== "option") return;
      item.setAttribute("aria-selected", index === active);
      if (index === active) item.scrollIntoView({ block: "nearest" });
    });
    if (found.length) input.setAttribute("aria-activedescendant", `suggestion-${active}`);
  };
  const show = () => {
    const sought = folded(input.value.trim());
    if (sought === "") return close();
    const matches = matching(lower, sought);
    found = matches.slice(0, SUGGESTIONS);
    list.replaceChildren(
      ...found.map((node, index) =>
        suggestion(graph.labels[node], sought, {
          id: `suggestion-${index}`,
          role: "option",
          "aria-selected": "false",
          // Before the input loses the focus, which would close the list.
          onpointerdown: (event) => {
            event.preventDefault();
            choose(node);
          },
        }),
      ),
    );
    const more = matches.length - found.length;
    if (matches.length === 0) list.append(element("li", { class: "more" }, "No node has this in its name."));
    if (more > 0) list.append(element("li", { class: "more" }, `and ${grouped.format(more)} more`));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(0);
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length && !list.hidden) {
      event.preventDefault();
      mark((active + step + found.length) % found.length);
    } else if (event.key === "Enter" && found.length && !list.hidden) {
      event.preventDefault();
      choose(found[active]);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      input.value = "";
      input.blur();
    }
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  return { box: element("div", { class: "search", role: "search" }, input, list), input };
}

/** Nodes with a text in their names: the very name first, then beginnings, beginnings of words, and the rest. */
function matching(lower, sought) {
  const ranked = [];
  lower.forEach((name, node) => {
    const place = name.indexOf(sought);
    if (place < 0) return;
    const rank = name === sought ? 0 : place === 0 ? 1 : /[^\p{L}\p{N}]/u.test(name[place - 1]) ? 2 : 3;
    ranked.push([rank, name.length, node]);
  });
  ranked.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
  return ranked.map(([, , node]) => node);
}

/** A name in the list, the part that was sought in it marked. */
function suggestion(label, sought, attributes) {
  const place = label.toLowerCase().indexOf(sought);
  // Lower case can be longer than the word itself; then nothing is marked.
  if (place < 0 || label.toLowerCase().length !== label.length) return element("li", attributes, shortened(label, 200));
  const end = place + sought.length;
  const start = Math.max(0, place - 100);
  return element(
    "li",
    attributes,
    (start > 0 ? "…" : "") + label.slice(start, place),
    element("mark", {}, label.slice(place, end)),
    shortened(label.slice(end), 100),
  );
}
