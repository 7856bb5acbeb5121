// Machines of the catalogue side by side: the closed form, and the simulator's loss and latency.

import { h, panel } from "./dom.js";
import { estimateText, parts } from "./format.js";
import { whisker } from "./answer.js";
import { commit, state } from "./state.js";

let parts_ = null;
let here = null;
let others = [];

function build(page) {
  const boxes = Object.entries(page.machines).map(([name, title]) => h("label", {},
    h("input", { type: "checkbox", value: name, onchange: () =>
      commit({ machines: boxes.map((one) => one.querySelector("input")).filter((one) => one.checked).map((one) => one.value) }) }),
    ` ${title}`));
  const rows = h("div", { class: "bars", role: "list" });
  panel("machines", "Machines side by side", rows,
    h("details", { class: "fold" }, h("summary", {}, "Choose machines of the catalogue"), h("div", { class: "list machines" }, ...boxes)));
  parts_ = { boxes, rows };
}

/** Shows the answer here and on the chosen machines: of each what came last. */
export function showMachines(page, came) {
  if (!parts_) build(page);
  const chosen = state().machines;
  for (const label of parts_.boxes) {
    const box = label.querySelector("input");
    box.checked = chosen.includes(box.value);
  }
  if (came.here && !came.here.refused) here = came.here;
  if (came.others) others = came.others.refused ? [] : came.others.machines;
  if (here === null) return;
  const all = [here, ...others.filter((one) => chosen.includes(one.name))];
  const most = Math.max(...all.map((one) => one.throughput?.high ?? 0), 1e-9);
  const percent = (pps) => `${(100 * Math.max(pps, 0)) / most}%`;
  parts_.rows.replaceChildren(...all.map((one) => row(one, percent)));
}

function row(one, percent) {
  const name = h("span", { class: "name" }, one.machine);
  if (one.refused) return h("div", { class: "stage machine", role: "listitem" }, name, h("span", { class: "why" }, one.refused));
  const [value, interval, unit] = parts(one.throughput);
  const [cycles, between] = parts(one.cycles);
  return h("div", { class: "stage machine", role: "listitem", title: [estimateText(one.throughput), ...one.notes].join("\n") }, name,
    h("span", { class: "bar" }, h("span", { class: `part${one.beyond ? " shaded" : ""}`, style: { width: percent(one.throughput.value), background: "var(--inside)" } }),
      whisker(one.throughput, percent)),
    h("span", { class: "value" }, `${value} `, h("small", {}, `${interval} ${unit}`), h("br"),
      h("small", {}, `${cycles} ${between} cycles of its clock`)));
}
