// The answer: rate and cycles with their intervals, what limits, and where the cycles go.

import { byId, h, panel } from "./dom.js";
import { digits, estimateText, parts } from "./format.js";

let bars = null;
let shown = null;

/** Shows an answer; a refusal leaves the last one, faint. */
export function showAnswer(found, page) {
  const refused = byId("refused");
  const headline = byId("headline");
  headline.classList.toggle("stale", Boolean(found.refused));
  refused.hidden = !found.refused;
  refused.textContent = found.refused ?? "";
  if (found.refused) return;
  headline.classList.toggle("extrapolates", found.beyond);
  byId("figures").replaceChildren(
    figure("Mpps", found.throughput),
    figure("cycles/packet", found.cycles),
    figure("instructions/cycle", found.ipc),
    limit(found),
  );
  showBeyond(found);
  byId("basis").textContent = found.basis;
  byId("basis").title = found.basis;
  byId("warnings").replaceChildren(...found.warnings.map((one) => h("li", {}, one)));
  showBars(found, page);
}

function figure(name, estimate) {
  const [value, interval] = parts(estimate);
  return h("div", { class: "figure", title: estimateText(estimate) },
    h("span", { class: "name" }, name),
    h("strong", {}, value),
    h("span", { class: "interval" }, interval));
}

function limit(found) {
  const [first, ...others] = found.limits ?? [];
  return h("div", { class: "figure limit" },
    h("span", { class: "name" }, `limited by the ${found.capped_by ?? "core"}`),
    h("span", { class: "sentence" }, first ?? ""),
    first ? h("details", {}, h("summary", {}, h("span", { class: "wide" }, "more"), h("span", { class: "narrow" }, `limited by the ${found.capped_by ?? "core"}`)),
      h("ul", {}, h("li", { class: "first" }, first), ...[...others, ...(found.certainty ?? [])].map((one) => h("li", {}, one)))) : null);
}

function showBeyond(found) {
  const left = found.left_out.length ? [`the closed form leaves out ${found.left_out.join(", ")}`] : [];
  const notes = [...found.notes, ...left];
  const beyond = byId("beyond");
  beyond.hidden = notes.length === 0;
  beyond.replaceChildren(found.beyond ? h("b", {}, "Beyond the calibration: ") : "", notes.join("; "));
}

function showBars(found, page) {
  bars ??= panel("stages", "Cycles by stage and cause", h("div", { class: "bars", role: "list" }),
    h("p", { class: "legend" }), h("details", { class: "numbers", ontoggle: fillTable }, h("summary", {}, "As a table"), h("div", { class: "scroll" })));
  const [box, legend] = [bars.querySelector(".bars"), bars.querySelector(".legend")];
  const most = Math.max(...found.stages.map((stage) => stage.cycles.high ?? stage.cycles.value), 1e-9);
  const causes = new Set();
  box.replaceChildren(...found.stages.map((stage) => {
    const seen = stage.causes.filter((part) => Math.abs(part.cycles.value) > 1e-3);
    seen.forEach((part) => causes.add(part.cause));
    return stageRow(stage, seen, most, page);
  }));
  const order = Object.keys(page.cause_colours).filter((cause) => causes.has(cause));
  legend.replaceChildren(...order.map((cause) => h("span", {},
    h("i", { style: { background: page.cause_colours[cause] } }), page.cause_titles[cause])));
  shown = [found.stages, order, page];
  fillTable();
}

/** The numbers, where they are to be seen: they are many. */
function fillTable() {
  const open = bars.querySelector("details").open;
  bars.querySelector(".scroll").replaceChildren(...(open ? [table(...shown)] : []));
}

function stageRow(stage, seen, most, page) {
  const positive = seen.filter((part) => part.cycles.value > 0);
  const whole = positive.reduce((sum, part) => sum + part.cycles.value, 0);
  // Work that overlaps is below zero: the bar ends at what is left.
  const scale = whole > 0 ? Math.max(stage.cycles.value, 0) / whole : 0;
  const percent = (cycles) => `${(100 * Math.max(cycles, 0)) / most}%`;
  const [value, interval] = parts(stage.cycles);
  return h("div", { class: "stage", role: "listitem" },
    h("span", { class: "name" }, h("i", { style: { background: page.stage_colours[stage.stage] ?? "" } }), stage.stage),
    h("span", { class: "bar" },
      ...positive.map((part) => h("span", { class: "part", title: `${stage.stage}, ${page.cause_titles[part.cause] ?? part.cause}: ${estimateText(part.cycles)}`,
        style: { width: percent(part.cycles.value * scale), background: page.cause_colours[part.cause] ?? "var(--muted)" } })),
      whisker(stage.cycles, percent)),
    h("span", { class: "value" }, `${value} `, h("small", {}, interval)));
}

/** The interval as a line over a bar. */
export function whisker(estimate, percent) {
  if (estimate.low === null) return null;
  return h("span", { class: "whisker", style: { left: percent(estimate.low), width: `calc(${percent(estimate.high)} - ${percent(estimate.low)})` } });
}

function table(stages, order, page) {
  const cell = (stage, cause) => {
    const part = stage.causes.find((one) => one.cause === cause);
    return h("td", { class: "number" }, part ? digits(part.cycles.value) : "",
      part ? h("small", {}, ` ${parts(part.cycles)[1]}`) : null);
  };
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "stage"), h("th", { class: "number" }, "cycles/packet"),
      h("th", { class: "number" }, "instructions"), ...order.map((cause) => h("th", { class: "number" }, page.cause_titles[cause])))),
    h("tbody", {}, ...stages.map((stage) => h("tr", {}, h("th", { scope: "row" }, stage.stage),
      h("td", { class: "number" }, digits(stage.cycles.value), h("small", {}, ` ${parts(stage.cycles)[1]}`)),
      h("td", { class: "number" }, stage.instructions ? digits(stage.instructions.value) : ""),
      ...order.map((cause) => cell(stage, cause))))));
}
