// What figures share: scales, axes, the size of the frame. SVG, redrawn when the width changes.

import { s } from "./dom.js";
import { digits, valueText } from "./format.js";

/** A scale for a key's values: equal ratios where they span many, equal steps, or one after the other. */
export function scaleOf(values, from, to) {
  const numbers = values.every((value) => typeof value === "number");
  const [low, high] = [values[0], values.at(-1)];
  if (!numbers || values.length < 2) {
    const step = (to - from) / Math.max(values.length, 1);
    return { at: (value) => from + step * (values.indexOf(value) + 0.5), step, listed: true };
  }
  const log = low > 0 && high / low > 16;
  const of = log ? Math.log : (value) => value;
  return { at: (value) => from + ((of(value) - of(low)) / (of(high) - of(low) || 1)) * (to - from), listed: false };
}

/** Round numbers between two ends, about `count` of them. */
export function ticks(low, high, count = 5) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(value);
  return found;
}

/** Labels of values that don't touch: [value, place, text], the first and last among them. */
export function labels(values, at, room = 7) {
  const shown = [];
  let end = -Infinity;
  for (const value of values) {
    const text = value === null ? "–" : valueText(value);
    const half = (Math.max(text.length, 2) * room) / 2 + 4;
    if (at(value) - half < end) continue;
    shown.push([value, at(value), text]);
    end = at(value) + half;
  }
  return shown;
}

/** The axes of a frame: grid lines and their labels. */
export function axes(frame, xs, ys, xTitle, yTitle) {
  const { left, right, top, bottom } = frame;
  return s("g", { class: "axes" },
    ...ys.map(([y, text]) => s("g", {}, s("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
      s("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, text))),
    ...xs.map(([, x, text]) => s("text", { x, y: bottom + 17, "text-anchor": "middle" }, text)),
    s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("text", { class: "title", x: right, y: bottom + 34, "text-anchor": "end" }, xTitle),
    s("text", { class: "title", x: left, y: top - 8, "text-anchor": "start" }, yTitle));
}

export const METRICS = {
  throughput_pps: { title: "Mpps", scale: 1e6 },
  cycles_per_packet: { title: "cycles/packet", scale: 1 },
};

/** A number of a metric, with its interval and whatever speaks against it. */
export function readout(found, place, metric) {
  if (found.refused[place]) return found.refused[place];
  const { title, scale } = METRICS[metric];
  const [value, low, high] = ["", "_low", "_high"].map((end) => digits(found[metric + end][place] / scale));
  return `${value} [${low}, ${high}] ${title} (computed)${found.beyond[place] ? ", beyond the calibration" : ""}`;
}

const drawings = new Map();
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const one = drawings.get(target);
    if (one && Math.abs(target.clientWidth - one.width) >= 1) draw(target, one.paint);
  }
});

/** Draws into a box by its width, and again when that changes. */
export function draw(box, paint) {
  const width = box.clientWidth;
  drawings.set(box, { width, paint });
  watcher.observe(box);
  if (width > 0) paint(width);
}
