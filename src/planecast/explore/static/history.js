// The scenario's history: runs that asked the same, the levels they are on, and what changed when.

import { h, panel, s } from "./dom.js";
import { digits, estimateText, parts } from "./format.js";
import { draw, ticks } from "./chart.js";

const SCALES = { pps: 1e6 };
const HEIGHT = 132;

let box = null;

function build() {
  const said = h("p", { class: "readout", role: "status" });
  const list = h("div", { class: "series" });
  const section = panel("history", "History", said, list);
  return { said, list, section };
}

/** Shows the series of runs whose scenario is the page's. */
export function showHistory(found) {
  box ??= build();
  box.section.classList.toggle("stale", Boolean(found.refused));
  if (found.refused) {
    box.said.textContent = found.refused;
    return;
  }
  box.said.textContent = found.runs === 0
    ? "no run has this scenario yet: measure this point, or type planecast measure"
    : `${found.runs} ${found.runs === 1 ? "run has" : "runs have"} this scenario${found.left_out ? `; ${found.left_out} shorter series are left out` : ""}`;
  const charts = [];
  box.list.replaceChildren(...found.series.map((one) => seriesBlock(one, charts)));
  for (const [chart, one] of charts) draw(chart, (width) => paint(chart, one, width));
}

function seriesBlock(one, charts) {
  const about = [one.metric, one.kind, one.host, one.calibration && `by ${one.calibration}`].filter(Boolean).join(", ");
  const points = one.levels.flatMap((level) => level.points);
  const chart = points.length > 1 ? h("div", { class: "chart" }) : null;
  if (chart) charts.push([chart, one]);
  return h("section", { class: "past" }, h("h3", {}, one.scenario, h("small", {}, ` ${about}`)), chart, table(one));
}

const percent = (change) => {
  const [value, low, high] = [change.value, change.low, change.high].map((end) => (end === null ? null : 100 * (end - 1)));
  const signed = (number) => `${number >= 0 ? "+" : ""}${number.toFixed(1)}`;
  return [`${signed(value)} %`, low === null ? "" : `[${signed(low)}, ${signed(high)}]`];
};

function table(one) {
  const heads = ["level", "change", "verdict", "runs", "since", "run"];
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ...heads.map((name, i) => h("th", { class: i < 2 || i === 3 ? "number" : null }, name)))),
    h("tbody", {}, ...[...one.levels].reverse().map((level) => {
      const [value, interval, unit] = parts(level.value);
      const [change, between] = level.change ? percent(level.change) : ["", ""];
      return h("tr", { class: level.verdict || null },
        h("td", { class: "number", title: estimateText(level.value) }, `${value} ${unit}`, h("small", {}, ` ${interval}`)),
        h("td", { class: "number" }, change, h("small", {}, ` ${between}`)),
        h("td", { class: "verdict" }, level.verdict), h("td", { class: "number" }, level.runs),
        h("td", {}, day(level.since)), h("td", {}, h("code", {}, level.first_run)));
    }))));
}

const day = (text) => text.slice(0, 16).replace("T", " ");

/** Each run with its interval, its level behind it; a level that is worse has the colour of alerts. */
function paint(chart, one, width) {
  const frame = { left: 52, right: width - 14, top: 8, bottom: HEIGHT - 26 };
  const points = one.levels.flatMap((level) => level.points);
  const scale = SCALES[points[0].value.unit] ?? 1;
  const ends = points.flatMap(({ value }) => [value.low ?? value.value, value.high ?? value.value]);
  const [least, most] = [Math.min(...ends) / scale, Math.max(...ends) / scale];
  const room = (most - least || Math.abs(most) || 1) * 0.08;
  const [low, high] = [least - room, most + room];
  const step = (frame.right - frame.left) / points.length;
  const x = (i) => frame.left + step * (i + 0.5);
  const y = (value) => frame.bottom - ((value / scale - low) / (high - low)) * (frame.bottom - frame.top);
  const marks = ticks(low, high, 3).map((mark) => s("g", {},
    s("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y(mark * scale), y2: y(mark * scale) }),
    s("text", { x: frame.left - 6, y: y(mark * scale) + 4, "text-anchor": "end" }, String(+mark.toPrecision(4)))));
  let first = 0;
  const levels = one.levels.filter((level) => level.points.length).map((level) => {
    const from = frame.left + step * first;
    first += level.points.length;
    const to = frame.left + step * first;
    const [top, bottom] = [y(level.value.high ?? level.value.value), y(level.value.low ?? level.value.value)];
    return s("g", { class: `level ${level.verdict}` },
      s("rect", { class: "band", x: from, width: to - from, y: top, height: Math.max(bottom - top, 1) }),
      s("line", { class: "line", x1: from, x2: to, y1: y(level.value.value), y2: y(level.value.value) }));
  });
  const dates = [["start", frame.left, points[0]], ["end", frame.right, points.at(-1)]].map(([anchor, at, point]) =>
    s("text", { x: at, y: frame.bottom + 18, "text-anchor": anchor }, point.started_at.slice(0, 10)));
  chart.replaceChildren(s("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img",
    "aria-label": `${one.metric} of ${points.length} runs, oldest first; the levels are in the table below` },
  ...marks, ...levels, ...points.map((point, i) => dot(point, x(i), y, scale)), ...dates));
}

function dot({ run, started_at: began, value }, px, y, scale) {
  return s("g", { class: value.kind === "measured" ? "measured" : "point" },
    s("title", {}, `${run}: ${digits(value.value / scale)}, ${began}`),
    s("line", { x1: px, x2: px, y1: y(value.low ?? value.value), y2: y(value.high ?? value.value) }),
    s("circle", { cx: px, cy: y(value.value), r: 3.5 }));
}
