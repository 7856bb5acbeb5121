// A heat map over two keys, the interval of each cell under the pointer or the cursor.

import { h, panel, s } from "./dom.js";
import { digits, shortKey, valueText } from "./format.js";
import { draw, labels, METRICS, readout } from "./chart.js";
import { commit, state, withKey } from "./state.js";

// Viridis (S. van der Walt and N. Smith, 2015) at equal steps: its lightness rises evenly, so that
// it is read in grey and by the colour-blind.
const COLOURS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

let parts = null;

function build() {
  const pick = (name, label) => {
    const one = h("select", { id: `heat-${name}`, "aria-label": label, onchange: () => commit({ [name]: one.value }) });
    return one;
  };
  const [across, up] = [pick("across", "Key across"), pick("up", "Key upwards")];
  const box = h("div", { class: "chart" });
  const said = h("p", { class: "readout", role: "status" });
  const key = h("p", { class: "legend ramp" });
  const section = panel("heat", "Heat map over two keys", h("p", { class: "choices" }, across, " across, ", up, " upwards"), box, key, said);
  parts = { across, up, box, said, key, section };
}

/** Shows a heat map, or why there is none. */
export function showHeat(found, keys, base) {
  if (!parts) build();
  for (const name of ["across", "up"]) {
    parts[name].replaceChildren(...keys.map((one) => h("option", { value: one }, one)));
    parts[name].value = state()[name];
  }
  parts.section.classList.toggle("stale", typeof found.refused === "string");
  if (typeof found.refused === "string") {
    parts.said.textContent = found.refused;
    return;
  }
  draw(parts.box, (width) => paint(found, width, base));
}

function colour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (COLOURS.length - 1);
  const i = Math.min(Math.floor(place), COLOURS.length - 2);
  return `rgb(${COLOURS[i].map((one, c) => Math.round(one + (COLOURS[i + 1][c] - one) * (place - i))).join(" ")})`;
}

function paint(found, width, base) {
  const metric = state().metric;
  const { title, scale } = METRICS[metric];
  const [nx, ny] = [found.x.length, found.y.length];
  const room = Math.max(...found.y.map((one) => (one === null ? 1 : valueText(one).length))) * 7 + 12;
  const cell = (width - room - 6) / nx;
  const tall = Math.min(Math.max(cell * 0.7, 14), 26);
  const [top, bottom] = [24, 24 + tall * ny];
  const known = found[metric].filter((one) => one !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const share = (value) => (high > low ? (value - low) / (high - low) : 0.5);
  const px = (i) => room + cell * i;
  const py = (j) => bottom - tall * (j + 1);
  const cells = found[metric].map((value, place) => {
    const [i, j] = [place % nx, Math.floor(place / nx)];
    const outside = value !== null && found.beyond[place];
    return s("g", {},
      s("rect", { x: px(i), y: py(j), width: cell + 0.5, height: tall + 0.5, class: value === null ? "refused" : null,
        fill: value === null ? null : colour(share(value)) }),
      outside ? s("path", { class: "hatch", d: `M${px(i) + 2} ${py(j) + tall - 2}L${px(i) + cell - 2} ${py(j) + 2}` }) : null);
  });
  const height = bottom + 40;
  const cursor = s("rect", { class: "cursor", width: cell, height: tall, visibility: "hidden" });
  const here = found.x_here === null || found.y_here === null ? null
    : s("rect", { class: "here", x: px(found.x_here), y: py(found.y_here), width: cell, height: tall });
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "application", tabindex: 0,
    "aria-label": `${title} over ${found.x_key} and ${found.y_key}: arrow keys go over it, Enter takes both values` },
    ...cells,
    ...labels(found.x, (value) => px(found.x.indexOf(value)) + cell / 2).map(([, x, text]) =>
      s("text", { x, y: bottom + 16, "text-anchor": "middle" }, text)),
    ...found.y.map((value, j) => s("text", { x: room - 6, y: py(j) + tall / 2 + 4, "text-anchor": "end" }, value === null ? "–" : valueText(value))),
    s("text", { class: "title", x: width - 6, y: bottom + 33, "text-anchor": "end" }, found.x_key),
    s("text", { class: "title", x: 0, y: 14 }, found.y_key), here, cursor);
  parts.key.replaceChildren(h("span", {}, digits(low / scale)), h("i", { class: "ramp" }), h("span", {}, `${digits(high / scale)} ${title}`),
    h("span", {}, h("i", { class: "hatched" }), "beyond the calibration"), h("span", {}, h("i", { class: "refused" }), "can't be asked"));
  follow(svg, cursor, found, { px, py, cell, tall, room, bottom, nx, ny }, metric, base);
  parts.box.replaceChildren(svg);
  say(found, found.x_here ?? 0, found.y_here ?? 0, metric);
}

function say(found, i, j, metric) {
  const name = (key, value) => `${shortKey(key)}=${value === null ? "not set" : valueText(value)}`;
  parts.said.textContent = `${name(found.x_key, found.x[i])}, ${name(found.y_key, found.y[j])}: ${readout(found, j * found.x.length + i, metric)}`;
}

function follow(svg, cursor, found, frame, metric, base) {
  let [i, j] = [found.x_here ?? 0, found.y_here ?? 0];
  const clamp = (value, most) => Math.min(Math.max(value, 0), most - 1);
  const go = (x, y) => {
    [i, j] = [clamp(x, frame.nx), clamp(y, frame.ny)];
    cursor.setAttribute("x", frame.px(i));
    cursor.setAttribute("y", frame.py(j));
    cursor.setAttribute("visibility", "visible");
    say(found, i, j, metric);
  };
  const under = (event) => {
    const box = svg.getBoundingClientRect();
    return [Math.floor((event.clientX - box.left - frame.room) / frame.cell), Math.floor((frame.bottom - event.clientY + box.top) / frame.tall)];
  };
  const take = () => {
    const { changes } = withKey(found.x_key, found.x[i], base);
    const other = withKey(found.y_key, found.y[j], base).changes;
    const both = { ...changes, [found.y_key]: found.y[j] };
    if (!(found.y_key in other)) delete both[found.y_key];
    commit({ changes: both });
  };
  svg.addEventListener("pointermove", (event) => go(...under(event)));
  svg.addEventListener("pointerleave", () => { cursor.setAttribute("visibility", "hidden"); say(found, found.x_here ?? 0, found.y_here ?? 0, metric); });
  svg.addEventListener("click", (event) => { go(...under(event)); take(); });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) go(i + step[0], j + step[1]);
    else if (event.key === "Enter") take();
    else return;
    event.preventDefault();
  });
}
