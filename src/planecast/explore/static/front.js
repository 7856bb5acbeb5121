// The Pareto front of a sweep: rate against cost, over keys that a person chooses and prices.

import { asker } from "./ask.js";
import { h, panel, s } from "./dom.js";
import { digits, parts, shortKey, valueText } from "./format.js";
import { axes, draw, ticks } from "./chart.js";
import { commit, state } from "./state.js";

const MOST_KEYS = 4;

let box = null;
let page = null;
let fresh = true;

let varied = [];

const asked = () => {
  const recorded = state().recorded && page.sweep !== null;
  return { changes: state().changes, prices: recorded ? state().front : known(), recorded };
};
/** Prices of keys that can be varied here: a program of others has one lcore. */
const known = () => Object.fromEntries(Object.entries(state().front).filter(([key]) => varied.includes(key)));
const question = asker("front", asked, show);

function build() {
  const add = h("select", { id: "front-add", "aria-label": "Key to vary", onchange: () => {
    if (add.value) commit({ front: { ...state().front, [add.value]: 0 } });
  } });
  const keys = h("div", { class: "prices" });
  const source = page.sweep === null ? null : h("label", {}, h("input", { type: "checkbox", id: "front-recorded",
    onchange: (event) => commit({ recorded: event.target.checked }) }), ` the recorded sweep ${page.sweep}`);
  const chart = h("div", { class: "chart" });
  const said = h("p", { class: "readout", role: "status" });
  const table = h("div", { class: "scroll" });
  const section = panel("front", "Pareto front of a sweep", h("p", { class: "choices" }, "vary ", add, source), keys, chart, said, table);
  return { add, keys, chart, said, table, section };
}

/** Asks for the front of what is chosen. */
export const askFront = () => question();

/** Shows which keys are varied, and their prices. */
export function showPrices(loaded, keys) {
  page = loaded;
  varied = keys;
  box ??= build();
  const chosen = state().recorded && page.sweep !== null ? state().front : known();
  box.add.replaceChildren(h("option", { value: "" }, "another key …"),
    ...keys.filter((key) => !(key in chosen)).map((key) => h("option", { value: key }, key)));
  box.add.disabled = Object.keys(chosen).length >= MOST_KEYS;
  if (!box.keys.contains(document.activeElement) || fresh) drawPrices(chosen);
  fresh = false;
  const own = document.getElementById("front-recorded");
  if (own) own.checked = state().recorded;
}

function drawPrices(chosen) {
  box.keys.replaceChildren(...Object.entries(chosen).map(([key, price]) => h("span", { class: "price" },
    h("label", { for: `price-${key}` }, `${shortKey(key)}: price of each`),
    h("input", { id: `price-${key}`, type: "text", inputmode: "decimal", value: price, onchange: (event) => {
      const number = Number(event.target.value);
      if (Number.isFinite(number)) commit({ front: { ...state().front, [key]: number } });
    } }),
    h("button", { type: "button", "aria-label": `Do not vary ${key}`, onclick: () => {
      const { [key]: _, ...others } = state().front;
      fresh = true;
      commit({ front: others });
    } }, "×"))));
}

function show(found) {
  box.section.classList.toggle("stale", Boolean(found.refused));
  if (found.refused) {
    box.said.textContent = found.refused;
    return;
  }
  box.said.textContent = `${found.answered.toLocaleString("en-US")} of ${found.points.toLocaleString("en-US")} points answered (computed), ${found.front.length} on the front${found.why ? `; not answered: ${found.why}` : ""}`;
  draw(box.chart, (width) => paint(found, width));
  box.table.replaceChildren(table(found));
}

function paint(found, width) {
  const frame = { left: 52, right: width - 14, top: 26, bottom: 230 };
  const costs = found.cloud.map(([cost]) => cost);
  const most = Math.max(...found.front.map((one) => one.throughput_pps.high), 1) * 1.05;
  const [low, high] = [Math.min(...costs, 0), Math.max(...costs, 1)];
  const x = (cost) => frame.left + 8 + ((cost - low) / (high - low)) * (frame.right - frame.left - 16);
  const y = (pps) => frame.bottom - (pps / most) * (frame.bottom - frame.top);
  const steps = found.front.map((one, i) => `${i ? `H${x(one.cost)}V` : `M${x(one.cost)} `}${y(one.throughput_pps.value)}`).join("");
  const svg = s("svg", { width, height: 274, viewBox: `0 0 ${width} 274`, role: "img", "aria-label": "Mpps against cost; the front is in the table below" },
    axes(frame, ticks(low, high, Math.max(2, Math.floor(width / 110))).map((one) => [one, x(one), valueText(+one.toPrecision(6))]),
      ticks(0, most / 1e6, 4).map((one) => [y(one * 1e6), String(+one.toPrecision(4))]), "cost", "Mpps"),
    ...found.cloud.map(([cost, pps]) => s("circle", { class: "cloud", cx: x(cost), cy: y(pps), r: 2 })),
    s("path", { class: "line", d: `${steps}H${frame.right}` }),
    ...found.front.map((one) => s("g", { class: "point choose", onclick: () => take(one) },
      s("title", {}, `${name(one)}: ${digits(one.throughput_pps.value / 1e6)} Mpps`),
      s("line", { x1: x(one.cost), x2: x(one.cost), y1: y(one.throughput_pps.low), y2: y(one.throughput_pps.high) }),
      s("circle", { cx: x(one.cost), cy: y(one.throughput_pps.value), r: 5 }))));
  box.chart.replaceChildren(svg);
}

const name = (one) => Object.entries(one.values).map(([key, value]) => `${shortKey(key)}=${value === null ? "–" : valueText(value)}`).join(", ");

function take(one) {
  const changes = { ...state().changes, ...one.values };
  for (const [key, value] of Object.entries(one.values)) {
    if (JSON.stringify(value) === JSON.stringify(page.base[key])) delete changes[key];
  }
  commit({ changes });
}

function table(found) {
  return h("table", {}, h("thead", {}, h("tr", {}, ...["cost", "throughput", "point", ""].map((one, i) => h("th", { class: i < 2 ? "number" : null }, one)))),
    h("tbody", {}, ...found.front.map((one) => {
      const [value, interval, unit] = parts(one.throughput_pps);
      return h("tr", {}, h("td", { class: "number" }, digits(one.cost)),
        h("td", { class: "number" }, `${value} `, h("small", {}, `${interval} ${unit}`)),
        h("td", {}, name(one), one.beyond ? h("small", {}, " beyond the calibration") : null),
        h("td", {}, h("button", { type: "button", onclick: () => take(one) }, "Take")));
    })));
}
