// "Measure this point now": in the background, one at a time; and a calibration with it added.

import { ask } from "./ask.js";
import { h, panel } from "./dom.js";
import { estimateText, parts } from "./format.js";
import { state } from "./state.js";

const LOOK_MS = 400;

let box = null;
let measured = () => {};
let calibrated = () => {};

/** Adds the panel; `again` is called when there is a new dot, `refitted` when the calibration changed. */
export function buildMeasure(again, refitted) {
  measured = again;
  calibrated = refitted;
  const seconds = h("input", { id: "measure-seconds", type: "text", inputmode: "decimal", value: "10", class: "number" });
  const start = h("button", { type: "button", id: "measure-start", onclick: begin }, "Measure this point now");
  const stop = h("button", { type: "button", id: "measure-stop", hidden: true, onclick: () => ask("stop") }, "Stop");
  const add = h("button", { type: "button", id: "measure-add", disabled: true, onclick: addAll }, "Add to calibration");
  const said = h("p", { class: "readout", role: "status" });
  const dots = h("ul", { class: "dots" });
  panel("measure", "Measured against predicted",
    h("p", { class: "choices" }, start, h("label", { for: "measure-seconds" }, "for"), seconds, "s", stop, add), said, dots,
    h("p", { class: "readout" }, "Measuring takes the CPUs of placement.lcores on this machine. Adding fits the model again to all points of the calibration and to those that were measured here; the calibration that results is a run of its own, not validated yet. Points measured apart from the others differ from them by what the machine's state changed since."));
  box = { seconds, start, stop, add, said, dots };
  look(false); // a measurement that a page before a reload began continues, and its result can be added
}

/** Measured results of the very point, next to the answer. */
export function showMeasured(found) {
  if (!box || found.refused) return;
  const whose = found.this_host ? "" : " (the calibration is of another host)";
  box.dots.replaceChildren(...found.measured.map((dot) => {
    const miss = 100 * (found.cycles.value / dot.cycles_per_packet.value - 1);
    const inside = apart(found.cycles, dot.cycles_per_packet) ? "the intervals don't meet" : "the intervals meet";
    return h("li", {}, h("b", {}, parts(dot.throughput_pps).join(" ")), `, ${estimateText(dot.cycles_per_packet)}; predicted ${miss >= 0 ? "+" : ""}${miss.toFixed(1)} % cycles${whose}, ${inside}`,
      h("small", {}, ` ${dot.started_at}`));
  }));
}

const apart = (a, b) => (a.low ?? a.value) > (b.high ?? b.value) || (b.low ?? b.value) > (a.high ?? a.value);

async function begin() {
  const found = await ask("measure", { changes: state().changes, seconds: Number(box.seconds.value) });
  if (found.refused) box.said.textContent = found.refused;
  else look();
}

async function look(begun = true) {
  const now = await ask("measuring");
  if (now.refused) return;
  box.start.disabled = now.running;
  box.stop.hidden = !now.running;
  box.add.disabled = now.running || now.count === 0;
  if (now.running) {
    box.said.textContent = `measuring: ${now.seconds.toFixed(0)} s of about ${now.of_seconds.toFixed(0)} s`;
    setTimeout(look, LOOK_MS);
    return;
  }
  if (!begun) return;
  box.said.textContent = now.failed;
  measured();
}

async function addAll() {
  box.add.disabled = true;
  box.said.textContent = "fitting …";
  const found = await ask("add", { changes: state().changes });
  box.said.textContent = found.refused ?? `the answers rest on ${found.run} from now on`;
  if (!found.refused) calibrated();
}
