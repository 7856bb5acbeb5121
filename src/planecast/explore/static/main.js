// The page: asks what there is to set, then answers each change.

import { showAnswer } from "./answer.js";
import { ask, asker, inPauses, wait } from "./ask.js";
import { drawControls, show as showControls } from "./controls.js";
import { curveKeys, showCurve } from "./curve.js";
import { openCopy } from "./copy.js";
import { byId } from "./dom.js";
import { askFront, showPrices } from "./front.js";
import { showHeat } from "./heat.js";
import { showHistory } from "./history.js";
import { showMachines } from "./machines.js";
import { buildMeasure, showMeasured } from "./measure.js";
import { canRedo, canUndo, followAddress, onChange, redo, reset, state, undo } from "./state.js";
import { askTimed, showLoad, staleLoad } from "./timed.js";

// A slider that is drawn moves more often; the simulator and the front take the longest.
const [PAUSE_MS, LONGER_MS] = [100, 250];

let page = null;
let keys = [];

const asked = (more) => () => ({ changes: state().changes, ...more?.(state()) });

const answer = asker("answer", asked(), (found) => {
  showAnswer(found, page);
  showMachines(page, { here: found });
  showMeasured(found);
  if (!found.refused) byId("status").textContent = `answered in ${found.milliseconds.toFixed(0)} ms`;
});
const machines = asker("machines", asked((now) => ({ machines: now.machines })), (found) => {
  showMachines(page, { others: found });
});
const curve = asker("curve", asked((now) => ({ key: now.curve })), (found) => showCurve(found, keys, page.base));
const heat = asker("heat", asked((now) => ({ across: now.across, up: now.up })), (found) => showHeat(found, keys, page.base));
const past = asker("history", asked(), showHistory);
const controls = asker("controls", asked(), (found) => {
  if (found.refused) {
    byId("status").textContent = found.refused;
    return;
  }
  keys = curveKeys(found.controls);
  drawControls(found.controls, page);
  figures();
});

const inPause = inPauses(answer, [elsewhere, curve, heat, shown, wait(LONGER_MS), simulated, askFront, past], PAUSE_MS);

/** All that takes longer than the answer: not before the slider rests. */
function figures() {
  if (page.program === null) showLoad(page);
  showPrices(page, keys);
  rest();
}

/** What is shown is of the former state, until all of it is asked again. */
function rest() {
  staleLoad();
  byId("panels").classList.add("waiting");
  inPause();
}

/** The simulator plays planecast's own data plane alone. */
async function simulated() {
  if (page.program === null) await askTimed();
}

/** Other machines take as long as the answer here does, each. */
async function elsewhere() {
  if (state().machines.length > 0) await machines();
}

/** Curve and heat map are of the state that is set. */
async function shown() {
  byId("panels").classList.remove("waiting");
}

const kindOf = (of) => of.changes["workload.kind"] ?? page.base["workload.kind"];

function buttons() {
  byId("undo").disabled = !canUndo();
  byId("redo").disabled = !canRedo();
  byId("reset").disabled = Object.keys(state().changes).length === 0;
}

/** While a slider moves there is time for the answer and for the slider's own row alone. */
function changed(now, before, moving) {
  answer();
  if (moving) {
    showControls(before.changes, now.changes);
    rest();
    return;
  }
  buttons();
  if (kindOf(now) !== kindOf(before)) controls();
  showControls();
  figures();
}

function keyboard(event) {
  const typing = event.target.matches?.("input[type=text]");
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || typing) return;
  event.preventDefault();
  (event.shiftKey ? redo : undo)();
}

async function begin() {
  page = await ask("page");
  if (page.refused) {
    byId("refused").hidden = false;
    byId("refused").textContent = page.refused;
    return;
  }
  byId("name").textContent = page.program === null ? page.name : `${page.name} (${page.program})`;
  document.title = `${page.name} · planecast explore`;
  followAddress();
  onChange(changed);
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
  byId("reset").addEventListener("click", reset);
  byId("copy").addEventListener("click", openCopy);
  addEventListener("keydown", keyboard);
  buildMeasure(() => { answer(); curve(); past(); }, () => { answer(); controls(); });
  buttons();
  answer();
  controls();
}

begin();
