// A curve over one key: the closed form with its interval, and what was measured.

import { h, panel, s } from "./dom.js";
import { digits, shortKey, valueText } from "./format.js";
import { axes, draw, labels, METRICS, readout, scaleOf, ticks } from "./chart.js";
import { commit, state, withKey } from "./state.js";

let parts = null;

function build(keys) {
  const key = h("select", { id: "curve-key", "aria-label": "Key of the curve", onchange: () => commit({ curve: key.value }) });
  const metric = h("select", { id: "curve-metric", "aria-label": "What the curve shows", onchange: () => commit({ metric: metric.value }) },
    ...Object.entries(METRICS).map(([name, { title }]) => h("option", { value: name }, title)));
  const box = h("div", { class: "chart" });
  const legend = h("p", { class: "legend" }, h("span", {}, h("i", { class: "shade" }), "beyond the calibration"),
    h("span", {}, h("i", { class: "unasked" }), "can't be asked"), h("span", {}, h("i", { class: "dot" }), "measured"));
  const said = h("p", { class: "readout", role: "status" });
  const section = panel("curve", "Curve over one key", h("p", { class: "choices" }, metric, " over ", key), box, legend, said);
  parts = { key, metric, box, said, section };
  setKeys(keys);
}

function setKeys(keys) {
  parts.key.replaceChildren(...keys.map((one) => h("option", { value: one }, one)));
}

/** Keys that a curve can go over. */
export const curveKeys = (controls) =>
  controls.filter((one) => one.engine === "solve" && one.matters && !["list", "text"].includes(one.kind)).map((one) => one.key);

/** Shows a curve, or why there is none. */
export function showCurve(found, keys, base) {
  if (!parts) build(keys);
  setKeys(keys);
  parts.key.value = state().curve;
  parts.metric.value = state().metric;
  parts.section.classList.toggle("stale", Boolean(found.refused) && typeof found.refused === "string");
  if (typeof found.refused === "string") {
    parts.said.textContent = found.refused;
    return;
  }
  draw(parts.box, (width) => paint(found, width, base));
}

function paint(found, width, base) {
  const metric = state().metric;
  const { title, scale } = METRICS[metric];
  const frame = { left: 52, right: width - 14, top: 26, bottom: 250 };
  const x = scaleOf(found.x, frame.left + 4, frame.right - 4);
  const value = (end, i) => (found[metric + end][i] === null ? null : found[metric + end][i] / scale);
  const known = found.x.map((_, i) => i).filter((i) => value("", i) !== null);
  const dots = found.measured ?? [];
  const tops = [...known.map((i) => value("_high", i)), ...dots.map((dot) => (dot[metric].high ?? dot[metric].value) / scale)];
  const most = Math.max(...tops, 1e-9) * 1.05;
  const y = (number) => frame.bottom - (number / most) * (frame.bottom - frame.top);
  const path = (points) => points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const at = (i) => x.at(found.x[i]);
  const svg = s("svg", { width, height: 294, viewBox: `0 0 ${width} 294`, role: "application", tabindex: 0,
    "aria-label": `${title} over ${found.x_key}: arrow keys go along it, Enter takes the value` },
    ...zones(found, found.beyond, "outside", at, frame, x),
    ...zones(found, found.refused.map((one) => one !== null), "unasked", at, frame, x),
    axes(frame, labels(found.x, x.at), ticks(0, most, 4).map((one) => [y(one), digits(one).replace(/\.?0+$/, "") || "0"]), found.x_key, title),
    ...runs(known).map((run) => s("path", { class: "band",
      d: `${path(run.map((i) => [at(i), y(value("_high", i))]))}${path([...run].reverse().map((i) => [at(i), y(value("_low", i))])).replace("M", "L")}Z` })),
    ...(x.listed
      ? known.map((i) => s("g", { class: "point" }, s("line", { x1: at(i), x2: at(i), y1: y(value("_low", i)), y2: y(value("_high", i)) }), s("circle", { cx: at(i), cy: y(value("", i)), r: 4 })))
      : runs(known).map((run) => s("path", { class: "line", d: path(run.map((i) => [at(i), y(value("", i))])) }))),
    found.x_here === null || value("", found.x_here) === null ? null
      : s("circle", { class: "here", cx: at(found.x_here), cy: y(value("", found.x_here)), r: 6 }),
    ...dots.map((dot) => measuredDot(dot, x.at(dot.values[found.x_key]), dot[metric], y, scale)));
  const cursor = s("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  svg.append(cursor);
  follow(svg, cursor, found, at, metric, base);
  parts.box.replaceChildren(svg);
  say(found, found.x_here ?? known[0] ?? 0, metric);
}

/** Neighbouring places that have an answer, together. */
function runs(known) {
  const found = [];
  for (const i of known) {
    if (found.length && found.at(-1).at(-1) === i - 1) found.at(-1).push(i);
    else found.push([i]);
  }
  return found;
}

/** Where the calibration doesn't reach, and where nothing can be asked. */
function zones(found, marked, name, at, frame, x) {
  const half = x.listed ? x.step / 2 : 0;
  const edge = (i, side) => {
    if (x.listed) return at(i) + side * half;
    const other = i + side;
    return other < 0 || other >= found.x.length ? at(i) : marked[other] ? (at(i) + at(other)) / 2 : at(other);
  };
  return runs(found.x.map((_, i) => i).filter((i) => marked[i])).map((run) => {
    const [from, to] = [edge(run[0], -1), edge(run.at(-1), 1)];
    return s("rect", { class: name, x: from, width: Math.max(to - from, 2), y: frame.top, height: frame.bottom - frame.top });
  });
}

function measuredDot(dot, px, estimate, y, scale) {
  const [low, high] = [estimate.low ?? estimate.value, estimate.high ?? estimate.value];
  return s("g", { class: "measured" },
    s("title", {}, `measured: ${digits(estimate.value / scale)} [${digits(low / scale)}, ${digits(high / scale)}], ${dot.started_at}`),
    s("line", { x1: px, x2: px, y1: y(low / scale), y2: y(high / scale) }),
    s("circle", { cx: px, cy: y(estimate.value / scale), r: 4.5 }));
}

function say(found, i, metric) {
  const value = found.x[i] === null ? "not set" : valueText(found.x[i]);
  parts.said.textContent = `${shortKey(found.x_key)}=${value}: ${readout(found, i, metric)}`;
}

function follow(svg, cursor, found, at, metric, base) {
  let place = found.x_here ?? 0;
  const go = (i) => {
    place = Math.min(Math.max(i, 0), found.x.length - 1);
    cursor.setAttribute("x1", at(place));
    cursor.setAttribute("x2", at(place));
    cursor.setAttribute("visibility", "visible");
    say(found, place, metric);
  };
  const nearest = (event) => {
    const px = event.clientX - svg.getBoundingClientRect().left;
    let best = 0;
    found.x.forEach((_, i) => { if (Math.abs(at(i) - px) < Math.abs(at(best) - px)) best = i; });
    return best;
  };
  const take = () => commit(withKey(found.x_key, found.x[place], base));
  svg.addEventListener("pointermove", (event) => go(nearest(event)));
  svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); say(found, found.x_here ?? 0, metric); });
  svg.addEventListener("click", (event) => { go(nearest(event)); take(); });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined) go(place + step);
    else if (event.key === "Enter") take();
    else return;
    event.preventDefault();
  });
}
