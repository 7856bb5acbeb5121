// What the page is set to: changed keys, and what is drawn. Undo, redo, and the address's fragment.

const USUAL = {
  changes: {}, curve: "traffic.flows", metric: "throughput_pps",
  across: "traffic.flows", up: "placement.burst", machines: [], load: 0.8,
  front: { "placement.lcores": 1, "placement.burst": 0 }, recorded: false,
};
const MOST = 500;

const listeners = [];
let now = structuredClone(USUAL);
let shown = now; // with what a slider is being drawn over
const past = [];
const future = [];

/** The state; never changed in place. */
export const state = () => shown;

/** Called with the state after each change, with the former one, and with whether a slider moves. */
export const onChange = (listener) => listeners.push(listener);

function show(next, moving = false) {
  const before = shown;
  shown = next;
  for (const listener of listeners) listener(shown, before, moving);
}

/** A change that can be undone. */
export function commit(change) {
  const next = { ...now, ...change };
  if (text(next) !== text(now)) {
    past.push(now);
    if (past.length > MOST) past.shift();
    future.length = 0;
  }
  now = next;
  write();
  show(now);
}

/** A change while a slider moves: answered, but not kept. */
export const preview = (change) => show({ ...now, ...change }, true);

/** One key's value over the others; the base's own value is no change. */
export function withKey(key, value, base) {
  const changes = { ...now.changes, [key]: value };
  if (JSON.stringify(value) === JSON.stringify(base[key])) delete changes[key];
  // Another function has stages of its own.
  if (key === "workload.kind") delete changes["workload.stages"];
  return { changes };
}

export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

function step(from, to) {
  const next = from.pop();
  if (!next) return;
  to.push(now);
  now = next;
  write();
  show(now);
}
export const undo = () => step(past, future);
export const redo = () => step(future, past);

/** The scenario as it was; what is drawn stays. */
export const reset = () => commit({ changes: {} });

// --- the address ---------------------------------------------------------------------------------

const plain = (value) => {
  if (typeof value !== "string") return JSON.stringify(value);
  try {
    JSON.parse(value); // text that reads as something else is quoted
    return JSON.stringify(value);
  } catch {
    return value;
  }
};
const read = (typed) => {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
};

/** The state as a fragment: scenario keys as they are, the page's own behind a dash. */
export function text(of) {
  const found = new URLSearchParams();
  for (const key of Object.keys(of.changes).sort()) found.set(key, plain(of.changes[key]));
  for (const [key, usual] of Object.entries(USUAL)) {
    if (key !== "changes" && JSON.stringify(of[key]) !== JSON.stringify(usual)) found.set(`-${key}`, plain(of[key]));
  }
  return found.toString();
}

function fromText(fragment) {
  const found = structuredClone(USUAL);
  for (const [key, value] of new URLSearchParams(fragment)) {
    if (key.includes(".") || key === "machine") found.changes[key] = read(value);
    else if (key.startsWith("-") && key.slice(1) in USUAL) {
      const own = read(value);
      if (typeof own === typeof USUAL[key.slice(1)]) found[key.slice(1)] = own;
    }
  }
  return found;
}

function write() {
  history.replaceState(null, "", `#${text(now)}`);
}

/** Takes the state of the address, now and when it is changed there. */
export function followAddress() {
  now = shown = fromText(location.hash.slice(1));
  addEventListener("hashchange", () => {
    if (location.hash.slice(1) !== text(now)) commit(fromText(location.hash.slice(1)));
  });
}
