// The controls: a slider or a choice for each key, the calibrated range marked on it.

import { h, byId } from "./dom.js";
import { shortKey, typed, valueText } from "./format.js";
import { commit, preview, state, withKey } from "./state.js";

const TITLES = {
  machine: "Machine", dataplane: "Data plane", workload: "Workload", traffic: "Traffic", placement: "Placement",
  neighbour: "Neighbour", nic: "Card", accelerator: "Accelerator", interference: "Interference",
};
const OPEN = new Set(["machine", "dataplane", "workload", "traffic", "placement"]);

let rows = new Map();
let base = {};

/** The key's value as the page is set: changed, or the base's. */
const valueOf = (key) => (key in state().changes ? state().changes[key] : base[key]);

const set = (key, value) => commit(withKey(key, value, base));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Draws the controls of a network function. */
export function drawControls(controls, page) {
  base = page.base;
  rows = new Map();
  const form = byId("controls");
  const opened = new Map([...form.querySelectorAll("details")].map((one) => [one.id, one.open]));
  form.replaceChildren();
  const kind = kindRow(page);
  const groups = new Map();
  for (const control of controls) {
    if (control.key === "workload.kind") continue;
    const section = control.key.split(".")[0];
    const name = control.engine === "simulate" ? "simulate" : control.matters ? section : "idle";
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(control);
  }
  const order = [...Object.keys(TITLES), "simulate", "idle"].filter((name) => groups.has(name));
  for (const name of order) {
    const title = TITLES[name]
      ?? (name === "idle" ? "Keys that change nothing here" : "For the simulator alone");
    form.append(fold(name, title, opened.get(`fold-${name}`) ?? OPEN.has(name),
      name === "workload" ? kind : null, ...groups.get(name).map(row)));
  }
  show();
}

function fold(name, title, open, ...children) {
  return h("details", { id: `fold-${name}`, class: "fold", open }, h("summary", {}, title), ...children);
}

function kindRow(page) {
  const select = h("select", { id: "c-workload.kind", onchange: () => set("workload.kind", select.value) },
    ...Object.entries(page.kinds).map(([kind, why]) =>
      h("option", { value: kind, disabled: why !== "", title: why }, why ? `${kind} (not calibrated)` : kind)));
  rows.set("workload.kind", { show: (value) => { select.value = value; } });
  return h("div", { class: "row" }, h("label", { for: select.id }, "kind"), select);
}

function row(control) {
  const id = `c-${control.key}`;
  const name = control.engine === "simulate" || !control.matters ? control.key : shortKey(control.key);
  const label = h("label", { for: id, title: `${control.key}: ${control.text}` }, name);
  const made = { number: slider, choice, flag, list, text: field }[control.kind](control, id);
  const whole = h("div", { class: "row", "data-key": control.key }, label, ...made.parts);
  rows.set(control.key, {
    show: (value) => {
      made.show(value);
      whole.classList.toggle("changed", !same(value, base[control.key]));
      whole.classList.toggle("beyond", isBeyond(control, value));
    },
  });
  return whole;
}

/** Whether a value lies outside of what was calibrated. */
function isBeyond(control, value) {
  if (control.kind === "list") return false;
  const place = control.values.findIndex((one) => same(one, value));
  if (place >= 0) return control.beyond[place] ?? false;
  const range = control.calibrated;
  return range !== null && typeof value === "number" && (value < range[0] || value > range[1]);
}

/** Where a value is among a slider's stops: the nearest below it. */
function placeOf(values, value) {
  const exact = values.findIndex((one) => same(one, value));
  if (exact >= 0 || typeof value !== "number") return Math.max(exact, 0);
  let place = 0;
  values.forEach((one, i) => { if (typeof one === "number" && one <= value) place = i; });
  return place;
}

function slider(control, id) {
  const { key, values } = control;
  const box = h("input", { id, type: "text", class: "number", inputmode: "text", spellcheck: "false",
    onchange: () => set(key, typed(box.value)) });
  const range = h("input", { type: "range", min: 0, max: values.length - 1, step: 1,
    "aria-label": control.key,
    oninput: () => { label(values[range.value]); preview(withKey(key, values[range.value], base)); },
    onchange: () => set(key, values[range.value]) });
  const label = (value) => {
    box.value = value === null ? "" : valueText(value);
    range.setAttribute("aria-valuetext", value === null ? "not set" : valueText(value));
  };
  const [from, to] = within(control.beyond);
  range.style.setProperty("--from", `${from}%`);
  range.style.setProperty("--to", `${to}%`);
  const hint = control.calibrated ? `calibrated: ${control.calibrated.map(valueText).join(" to ")}` : null;
  box.placeholder = values.includes(null) ? "–" : "";
  return {
    parts: [box, h("span", { class: "track", title: hint }, range)],
    show: (value) => {
      label(value);
      if (document.activeElement !== range || !same(values[range.value], value)) {
        range.value = placeOf(values, value);
      }
    },
  };
}

/** Where a track's calibrated part begins and ends, in percent. */
function within(beyond) {
  const last = Math.max(beyond.length - 1, 1);
  const inside = beyond.map((outside, i) => (outside ? null : i)).filter((i) => i !== null);
  if (inside.length === 0) return [0, 0];
  const at = (place) => Math.min(100, Math.max(0, (100 * place) / last));
  return [at(inside[0] - 0.5), at(inside.at(-1) + 0.5)];
}

function choice(control, id) {
  const select = h("select", { id, onchange: () => set(control.key, JSON.parse(select.value)) },
    ...control.values.map((value, i) => h("option", { value: JSON.stringify(value) },
      (value === null ? "–" : valueText(value)) + (control.beyond[i] ? " (beyond)" : ""))));
  return { parts: [select], show: (value) => { select.value = JSON.stringify(value); } };
}

function flag(control, id) {
  const box = h("input", { id, type: "checkbox", onchange: () => set(control.key, box.checked) });
  return { parts: [box], show: (value) => { box.checked = value; } };
}

function field(control, id) {
  const list = control.suggestions.length ? `${id}-list` : null;
  const box = h("input", { id, type: "text", list, spellcheck: "false",
    onchange: () => set(control.key, box.value.trim() || "none") });
  const known = list && h("datalist", { id: list }, ...control.suggestions.map((one) => h("option", { value: one })));
  return { parts: [box, known], show: (value) => { box.value = value ?? ""; } };
}

function list(control, id) {
  const boxes = control.values.map((value, i) => h("input", { type: "checkbox", value,
    id: i === 0 ? id : null,
    onchange: () => set(control.key, boxes.filter((box) => box.checked).map((box) => box.value).join(",") || "none") }));
  const own = (value) => (Array.isArray(value) ? value : String(value).split(","));
  return {
    parts: [h("span", { class: "list" }, ...boxes.map((box, i) =>
      h("label", { class: control.beyond[i] ? "beyond" : null }, box, control.values[i])))],
    show: (value) => boxes.forEach((box) => { box.checked = own(value).includes(box.value); }),
  };
}

/** Sets every control to the state; given two sets of changes, those that they don't agree on. */
export function show(before = null, now = null) {
  for (const [key, one] of rows) {
    if (before === null || !same(before[key], now[key])) one.show(valueOf(key));
  }
}
