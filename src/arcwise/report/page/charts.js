// Charts: the score against time with its bound, and how often shares of replicas occur.

const MARGIN = { left: 84, right: 18, top: 12, bottom: 40 };
const CHART_HEIGHT = 300;

/** A chart that is drawn again whenever its width changes; `draw(width)` gives an svg. */
function responsive(draw) {
  const box = element("div", { class: "chart" });
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width || box.clientWidth === 0) return;
    width = box.clientWidth;
    redraw();
  }).observe(box);
  const redraw = () => box.replaceChildren(...draw(width, box));
  return {
    box,
    redraw: () => {
      if (width) redraw();
    },
  };
}

/** Round numbers within a range, about as many as wanted. */
function ticksBetween(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step || 0);
  return { ticks, step };
}

/** Numbers on an axis with just the digits that tell them apart. */
function tickText(tick, step) {
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 8);
  return new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    Math.abs(tick) < step / 2 ? 0 : tick,
  );
}

function secondsText(seconds) {
  if (seconds >= 120) return `${significant.format(seconds / 60)} min`;
  return seconds > 0 && seconds < 1 ? `${significant.format(seconds * 1000)} ms` : `${significant.format(seconds)} s`;
}

/** The axis of time: logarithmic where improvements come within very different times. */
function timeScale(times, end, from, to) {
  const positive = times.filter((time) => time > 0);
  const first = positive.reduce((least, time) => Math.min(least, time), Infinity);
  const middle = positive.sort((one, other) => one - other)[Math.floor(positive.length / 2)];
  if (positive.length > 2 && end / first > 30 && middle < end / 8) {
    const low = Math.log10(first * 0.8);
    const high = Math.log10(end);
    const place = (time) => from + ((to - from) * (Math.log10(Math.max(time, first * 0.8)) - low)) / (high - low);
    const ticks = [];
    for (let power = Math.floor(low); power <= high; power++) {
      for (const factor of (to - from) / (high - low) > 140 ? [1, 2, 5] : [1]) ticks.push(factor * 10 ** power);
    }
    return {
      place,
      ticks: ticks.filter((tick) => tick >= first * 0.8 && tick <= end * 1.001),
      text: secondsText,
      title: "time, logarithmic",
    };
  }
  const [unit, name] = end >= 120 ? [60, "minutes"] : end >= 0.5 ? [1, "seconds"] : [0.001, "milliseconds"];
  const { ticks, step } = ticksBetween(0, end / unit, Math.max(3, Math.min(8, (to - from) / 110)));
  return {
    place: (time) => from + ((to - from) * time) / end,
    ticks: ticks.map((tick) => tick * unit),
    text: (time) => tickText(time / unit, step),
    title: `time in ${name}`,
  };
}

/** The best score by time as steps, the bound above it, and what lies between shaded. */
function scoreChart(content) {
  const points = content.trace.slice();
  const end = Math.max(content.seconds || 0, ...lastTimes(content.trace, content.bounds)) || 1;
  if (points.length === 0) points.push([0, content.score]);
  const bounds = content.bounds.length ? content.bounds : content.bound === null ? [] : [[0, content.bound]];
  let closeUp = false;
  const steep =
    points.length > 3 &&
    points[points.length - 1][1] - points[1][1] < 0.25 * (points[points.length - 1][1] - points[0][1]);
  const chart = responsive((width, box) => drawScores({ points, bounds, end, closeUp }, width, box));
  const final = points[points.length - 1][1];
  const gap =
    content.bound === null ? "" : `; the bound is ${threeDigits.format(Math.max(content.bound - final, 0))} above it`;
  const toggle = element(
    "label",
    { class: "right" },
    element("input", {
      type: "checkbox",
      onchange: (event) => {
        closeUp = event.target.checked;
        chart.redraw();
      },
    }),
    "close-up of the end",
  );
  const keys = element(
    "div",
    { class: "keyline" },
    element("span", {}, lineSample("--accent"), "best score so far"),
    bounds.length ? element("span", {}, lineSample("--child", "5 4"), `bound for ${content.bound_for || "the best score"}`) : null,
    steep || bounds.length ? toggle : null,
  );
  const by = content.trace.length ? ` by ${counted(points.length, "improvement")}` : "";
  const told = `Best score ${threeDigits.format(final)}${by} in ${secondsText(content.seconds)}${gap}.`;
  return [element("p", {}, told), keys, chart.box];
}

function lastTimes(...lists) {
  return lists.filter((list) => list.length).map((list) => list[list.length - 1][0]);
}

/** From where to where the scores go; the close-up leaves out how the search began. */
function scoreRange({ points, bounds, closeUp }) {
  const scores = points.map((point) => point[1]);
  const final = scores[scores.length - 1];
  const limits = bounds.map((point) => point[1]);
  let low = closeUp ? scores[Math.floor(scores.length / 2)] : scores[0];
  let high = limits.length === 0 ? final : closeUp ? limits[limits.length - 1] : Math.max(limits[0], final);
  if (!closeUp && limits.length)
    high = Math.min(high, final + Math.max(final - low, limits[limits.length - 1] - final));
  // Less than this is rounding, between which there is no place for ticks.
  if (high - low < Math.max(1e-6, 1e-12 * Math.abs(high))) [low, high] = [low - 1, high + 1];
  const air = (high - low) * 0.05;
  return [low - air, high + air];
}

function drawScores(model, width, box) {
  const { points, bounds, end } = model;
  const right = width - MARGIN.right;
  const bottom = CHART_HEIGHT - MARGIN.bottom;
  const [low, high] = scoreRange(model);
  const last = points[points.length - 1]; // marked: there is no line to see where it was found at the very end
  const across = timeScale(
    [...points, ...bounds].map((point) => point[0]),
    end,
    MARGIN.left,
    right,
  );
  // What is above the range leaves the picture at its upper edge.
  const up = (score) =>
    score > high ? -5 : bottom - ((bottom - MARGIN.top) * (Math.max(score, low) - low)) / (high - low);
  const upper = bounds.length ? stairs(bounds, end, across.place, up) : null;
  const lower = stairs(points, end, across.place, up);
  const drawing = shape(
    "svg",
    { height: CHART_HEIGHT, viewBox: `0 0 ${width} ${CHART_HEIGHT}`, role: "img", "aria-label": "Score against time" },
    axes(ticksBetween(low, high, 5), up, across, right, bottom),
    upper ? shape("path", { class: "gap", d: gapBetween(model, across.place, up) }) : null,
    upper ? shape("path", { class: "bound", d: `M${upper.join("L")}` }) : null,
    shape("path", { class: "steps", d: `M${lower.join("L")}` }),
    shape("circle", { class: "point", r: 4.5, cx: across.place(last[0]), cy: up(last[1]) }),
  );
  const cursor = chartCursor(model, { across, up, right, bottom, width, box });
  drawing.append(cursor.marks);
  drawing.addEventListener("pointermove", cursor.move);
  drawing.addEventListener("pointerleave", cursor.leave);
  return [drawing, cursor.tip];
}

/** Points as "x,y" of a line that goes across first and then up or down. */
function stairs(points, end, across, up) {
  const line = [];
  points.forEach(([time, score], index) => {
    if (index > 0) line.push(`${across(time).toFixed(1)},${up(points[index - 1][1]).toFixed(1)}`);
    line.push(`${across(time).toFixed(1)},${up(score).toFixed(1)}`);
  });
  line.push(`${across(end).toFixed(1)},${up(points[points.length - 1][1]).toFixed(1)}`);
  return line;
}

/** The outline of what lies between score and bound, from when on there are both. */
function gapBetween({ points, bounds, end }, across, up) {
  const start = Math.max(points[0][0], bounds[0][0]);
  const since = (list) => [
    [start, list.reduce((last, one) => (one[0] <= start ? one : last))[1]],
    ...list.filter((one) => one[0] > start),
  ];
  return `M${stairs(since(bounds), end, across, up).join("L")}L${stairs(since(points), end, across, up).reverse().join("L")}Z`;
}

function axes({ ticks, step }, up, across, right, bottom) {
  return [
    ...ticks.flatMap((tick) => [
      shape("line", { class: "grid", x1: MARGIN.left, x2: right, y1: up(tick), y2: up(tick) }),
      shape("text", { x: MARGIN.left - 10, y: up(tick) + 4, "text-anchor": "end" }, tickText(tick, step)),
    ]),
    ...across.ticks.flatMap((tick) => [
      shape("line", { class: "axis", x1: across.place(tick), x2: across.place(tick), y1: bottom, y2: bottom + 5 }),
      shape("text", { x: across.place(tick), y: bottom + 19, "text-anchor": "middle" }, across.text(tick)),
    ]),
    shape("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    shape("text", { x: right, y: bottom + 36, "text-anchor": "end" }, across.title),
  ];
}

/** The value under the pointer. */
function chartCursor({ points, bounds }, { across, up, bottom, width, box }) {
  const line = shape("line", { class: "cursor", y1: MARGIN.top, y2: bottom });
  const point = shape("circle", { class: "point", r: 5 });
  const marks = shape("g", { visibility: "hidden" }, line, point);
  const tip = element("div", { class: "tip", hidden: true });
  const latest = (list, x) => list.reduce((last, one) => (across.place(one[0]) <= x + 0.5 ? one : last), list[0]);
  const move = (event) => {
    const x = Math.min(Math.max(event.clientX - box.getBoundingClientRect().left, MARGIN.left), width - MARGIN.right);
    const [time, score] = latest(points, x);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    point.setAttribute("cx", Math.max(across.place(time), MARGIN.left));
    point.setAttribute("cy", up(score));
    marks.setAttribute("visibility", "visible");
    const bound = bounds.length ? `\nbound ${threeDigits.format(latest(bounds, x)[1])}` : "";
    tip.textContent = `${threeDigits.format(score)} found after ${secondsText(time)}${bound}`;
    tip.hidden = false;
    tip.style.left = `${Math.min(Math.max(x + 12, 0), width - tip.offsetWidth)}px`;
    tip.style.top = `${Math.min(up(score) + 14, bottom - tip.offsetHeight - 4)}px`;
  };
  const leave = () => {
    marks.setAttribute("visibility", "hidden");
    tip.hidden = true;
  };
  return { marks, tip, move, leave };
}

/** How many pairs are joined in which share of the replicas; those in the graph and the others apart. */
function shareHistogram(pairs) {
  const bins = Array.from({ length: 20 }, () => [0, 0]);
  for (const { share, inGraph } of pairs) bins[Math.min(Math.floor(share * 20 + 1e-9), 19)][inGraph ? 0 : 1]++;
  return responsive((width) => {
    const [left, right, height] = [56, width - 26, 220];
    const bottom = height - MARGIN.bottom;
    const { ticks, step } = ticksBetween(0, Math.max(...bins.map(([one, other]) => one + other), 1) * 1.05, 4);
    const most = Math.max(...bins.map(([one, other]) => one + other), 1) * 1.05;
    const up = (count) => bottom - ((bottom - MARGIN.top) * count) / most;
    const place = (share) => left + (right - left) * share;
    const bar = (index, from, to, kind) =>
      to > from
        ? [
            shape(
              "rect",
              {
                class: kind,
                x: place(index / 20) + 1,
                width: Math.max(place(1 / 20) - left - 2, 1),
                y: up(to),
                height: up(from) - up(to),
              },
              shape(
                "title",
                {},
                `${counted(to - from, "pair")} ${kind === "inside" ? "in" : "not in"} the graph: ${index * 5}–${index * 5 + 5} %`,
              ),
            ),
          ]
        : [];
    return [
      shape(
        "svg",
        { height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Histogram of the shares" },
        ticks
          .filter((tick) => Number.isInteger(tick))
          .flatMap((tick) => [
            shape("line", { class: "grid", x1: left, x2: right, y1: up(tick), y2: up(tick) }),
            shape("text", { x: left - 10, y: up(tick) + 4, "text-anchor": "end" }, tickText(tick, step)),
          ]),
        bins.flatMap(([inside, outside], index) => [
          ...bar(index, 0, inside, "inside"),
          ...bar(index, inside, inside + outside, "outside"),
        ]),
        [0, 0.25, 0.5, 0.75, 1].map((share) =>
          shape("text", { x: place(share), y: bottom + 19, "text-anchor": "middle" }, `${100 * share} %`),
        ),
        shape("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
        shape(
          "text",
          { x: right, y: bottom + 36, "text-anchor": "end" },
          "how sure the pair is joined, either way",
        ),
      ),
    ];
  }).box;
}
