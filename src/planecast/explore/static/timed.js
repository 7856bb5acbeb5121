// Loss and latency at an offered load, from the simulator: here, and on the chosen machines.

import { ask } from "./ask.js";
import { h, panel } from "./dom.js";
import { digits, estimateText, parts } from "./format.js";
import { commit, state } from "./state.js";

let page = null;
let box = null;
let round = 0;

function build() {
  const said = h("output", { for: "load" });
  const slider = h("input", { type: "range", id: "load", min: 5, max: 120, step: 1, style: { "--from": "0%", "--to": "100%" },
    oninput: () => { label(slider.value / 100); },
    onchange: () => commit({ load: slider.value / 100 }) });
  const label = (load) => {
    said.value = `${Math.round(100 * load)} % of the computed rate`;
    slider.setAttribute("aria-valuetext", said.value);
  };
  const table = h("div", { class: "scroll" });
  const note = h("p", { class: "readout", role: "status" });
  const section = panel("timed", "Loss and latency, simulated",
    h("p", { class: "choices" }, h("label", { for: "load" }, "offered load"), h("span", { class: "track load" }, slider), said), table, note);
  return { slider, label, table, note, section };
}

/** Shows the offered load that is set. */
export function showLoad(loaded) {
  page = loaded;
  box ??= build();
  if (document.activeElement !== box.slider) box.slider.value = Math.round(100 * state().load);
  box.label(state().load);
}

/** What stands below the load is of a former state, and so is what is under way. */
export function staleLoad() {
  box?.section.classList.add("stale");
  round += 1;
}

/** Asks the simulator, here and on each chosen machine. */
export async function askTimed() {
  const mine = ++round;
  const { changes, load, machines } = state();
  const rows = [];
  for (const machine of [null, ...machines]) {
    const began = performance.now();
    const found = await ask("timed", { changes, load, machine });
    if (mine !== round) return; // the state is another by now
    rows.push({ ...found, title: machine === null ? found.machine : page.machines[machine], seconds: (performance.now() - began) / 1e3 });
    show(rows);
  }
  box.section.classList.remove("stale");
}

function show(rows) {
  const cell = (estimate) => {
    const [value, interval, unit] = parts(estimate);
    return h("td", { class: "number", title: estimateText(estimate) }, estimate ? `${value} ${unit}` : "–", h("small", {}, ` ${interval}`));
  };
  const share = (estimate) => estimate && { ...estimate, value: 100 * estimate.value, low: 100 * estimate.low, high: 100 * estimate.high, unit: "%" };
  const heads = ["machine", "offered", "forwarded", "loss", "latency, mean", "p50", "p99", "p99.9", "limited by"];
  box.table.replaceChildren(h("table", {},
    h("thead", {}, h("tr", {}, ...heads.map((one, i) => h("th", { class: i && i < 8 ? "number" : null }, one)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.title),
      ...(row.refused ? [h("td", { colspan: 8 }, row.refused)] : [
        h("td", { class: "number" }, `${digits(row.offered_pps / 1e6)} Mpps`), cell(row.throughput), cell(share(row.loss)),
        ...["mean", "p50", "p99", "p99.9"].map((name) => cell(row.latency[name])), h("td", {}, row.capped_by ?? "–")]))))));
  const last = rows.findLast((row) => !row.refused);
  box.note.textContent = last
    ? `${last.title}: ${last.runs} runs, ${last.packets.toLocaleString("en-US")} packets, done in ${last.seconds.toFixed(1)} s; intervals reach over runs at the computed cost, ${last.cost_percent.map((one) => `${one < 0 ? "" : "+"}${one.toFixed(1)} %`).join(" and ")} of it; ${last.notes.join("; ")}`
    : "";
}
