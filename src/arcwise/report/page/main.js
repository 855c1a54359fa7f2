// Builds the page: the network first, then everything below it.

/**
 * For tests and measurements: `ready` resolves when the page is built, `firstPaint` says after how many milliseconds
 * since the start of the navigation the network was drawn, `positionOf(name)` where a node is in client pixels,
 * `answer([[name, state], …])` what follows from states of nodes, counted from 0, or from numbers of theirs.
 */
window.arcwiseReport = buildReport(JSON.parse(byId("content").textContent));

function buildReport(content) {
  const graph = new Graph(content);
  const panel = new NodePanel(content, graph, { visit: (node) => follow(node), clear: () => view.select(null) });
  const view = new NetworkView(content, graph, (node) => tell(node));
  let section = null;
  const report = {
    ready: null,
    firstPaint: null,
    get selected() {
      return view.selected === null ? null : graph.names[view.selected];
    },
    select(name) {
      if (name !== null && !graph.indices.has(name)) throw new Error(`there is no node ${name}`);
      if (name === null) view.select(null);
      else view.visit(graph.indices.get(name));
    },
    positionOf(name) {
      const node = graph.indices.get(name);
      const [x, y] = view.camera.onScreen(view.painter.x[node], view.painter.y[node]);
      const frame = view.canvas.getBoundingClientRect();
      return { x: frame.left + x, y: frame.top + y };
    },
  };

  /** A link was followed: where the network is out of sight, as on a telephone, go back to it. */
  function follow(node) {
    const { top, bottom } = view.field.getBoundingClientRect();
    if (bottom < 80 || top > innerHeight - 80) byId("network").scrollIntoView();
    view.visit(node);
  }

  /** Questions are part of the page where the network is small enough, and marks of the evidence of the picture. */
  function showQuestions() {
    if (!content.questions) return;
    if (content.questions.refusal) return showRefusal(content.questions);
    const questions = content.questions.gaussian
      ? new NumberQuestions(content, graph)
      : new StateQuestions(content, graph);
    section = new AskSection(content, questions, follow);
    section.show();
    panel.questions = view.questions = questions;
    panel.show(view.selected);
    section.select(view.selected);
    questions.listeners.push(
      () => section.update(),
      () => panel.update(),
      () => view.showEvidence(),
    );
    report.answer = (evidence) =>
      questions.model.answer(new Map(evidence.map(([name, state]) => [graph.indices.get(name), state])));
  }

  function tell(node) {
    panel.show(node);
    if (section) section.select(node);
    try {
      history.replaceState(null, "", node === null ? location.pathname + location.search : hashOf(graph.names[node]));
    } catch {
      // Within another page, as in a notebook, the address may not be ours to change.
    }
    announce(
      node === null
        ? "Nothing is selected"
        : `Selected ${graph.labels[node]}: ${counted(graph.incoming[node].length, "parent")}, ${counted(graph.outgoing[node].length, "child", "children")}`,
    );
  }

  function selectFromAddress() {
    if (!location.hash.startsWith("#node=")) return;
    let name;
    try {
      name = decodeURIComponent(location.hash.slice("#node=".length));
    } catch {
      return; // a damaged link selects nothing
    }
    if (graph.indices.has(name)) view.visit(graph.indices.get(name));
  }

  showHead(content);
  const stage = element("div", { class: "stage" }, view.field, panel.box);
  // A small network needs no more than its own height.
  stage.style.setProperty("--stage", `${Math.round(heightOf(content.nodes.y) * 1.5 + 200)}px`);
  byId("network").append(
    element("h2", { id: "network-title", class: "unseen" }, "Network"),
    stage,
    arcList(content, graph, follow),
  );
  view.start();
  view.draw();
  addEventListener("hashchange", selectFromAddress);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) view.select(null);
  });

  report.ready = new Promise((resolve) => {
    // After the frame with the network is on its way to the screen.
    requestAnimationFrame(() =>
      setTimeout(() => {
        report.firstPaint = performance.now();
        showQuestions();
        showScore(content);
        showStrengths(content, graph, follow);
        showReference(content);
        showData(content);
        showReproduction(content);
        showContents();
        selectFromAddress();
        resolve();
      }),
    );
  });
  return report;
}
