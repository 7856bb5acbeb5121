"use strict";
// A recorded sweep under the reader's hands: set the varied keys, see the recorded answer, a curve
// over any key, a heat map over any two, the Pareto front. Nothing is computed but which point that is.
(() => {
  const section = document.querySelector(".recorded");
  const data = JSON.parse(document.getElementById("recorded-data").textContent);
  const { keys, at, metrics, grid, colours } = data;
  const points = at[0].length;
  const beyond = new Set(data.beyond);
  const text = { limit: (row) => data.limits.names[data.limits.at[row]], refused: (row) => data.refused.names[data.refused.at[row]] };
  const narrow = matchMedia("(max-width: 640px)");

  // --- which point ----------------------------------------------------------------------------
  const strides = keys.map((_, k) => keys.slice(k + 1).reduce((size, key) => size * key.names.length, 1));
  const place = (codes) => codes.reduce((sum, code, k) => sum + code * strides[k], 0);
  const codesOf = (row) => at.map((codes) => codes[row]);
  const rows = new Map();
  if (grid) for (let row = 0; row < points; row += 1) rows.set(place(codesOf(row)), row);
  // Steps along each key as shares of all its values: 0 the same, 1 the other end.
  const distance = (row, codes, but) => Math.hypot(...keys.map((key, k) => {
    if (k === but) return 0;
    const steps = key.names.length - 1;
    return key.numbers ? (at[k][row] - codes[k]) / steps : Number(at[k][row] !== codes[k]);
  }));
  const nearest = (codes) => {
    let [best, least] = [0, Infinity];
    for (let row = 0; row < points; row += 1) {
      const far = distance(row, codes);
      if (far < least) [best, least] = [row, far];
    }
    return best;
  };
  const rowOf = (codes) => (grid ? rows.get(place(codes)) : nearest(codes));

  // --- what is set, in the address too ----------------------------------------------------------
  const MARK = "#what-if?";
  const begin = { codes: codesOf(data.first), metric: 0, curve: 0, across: 0, up: Math.min(1, keys.length - 1), prices: keys.map((key) => Number(key.key === "placement.lcores")) };
  let now = begin;
  const past = [];
  const valueOf = (k, code) => (keys[k].numbers ? String(keys[k].numbers[code]) : keys[k].names[code]);
  const written = (state) => {
    const found = new URLSearchParams();
    keys.forEach((key, k) => found.set(key.key, valueOf(k, state.codes[k])));
    for (const name of ["metric", "curve", "across", "up"]) if (state[name] !== begin[name]) found.set(name, state[name]);
    keys.forEach((key, k) => { if (state.prices[k] !== begin.prices[k]) found.set(`price of ${key.key}`, state.prices[k]); });
    return `${MARK}${found}`;
  };
  const read = (fragment) => {
    const found = new URLSearchParams(fragment.slice(MARK.length));
    const state = { ...begin, codes: [...begin.codes], prices: [...begin.prices] };
    keys.forEach((key, k) => {
      const code = key.names.findIndex((_, one) => valueOf(k, one) === found.get(key.key));
      if (code >= 0) state.codes[k] = code;
      const price = Number(found.get(`price of ${key.key}`) ?? state.prices[k]);
      if (Number.isFinite(price)) state.prices[k] = price;
    });
    const most = { metric: metrics.length, curve: keys.length, across: keys.length, up: keys.length };
    for (const [name, count] of Object.entries(most)) {
      const number = Number(found.get(name) ?? state[name]);
      if (Number.isInteger(number) && number >= 0 && number < count) state[name] = number;
    }
    return state;
  };
  const commit = (change) => {
    const next = { ...now, ...change };
    if (written(next) === written(now)) return;
    past.push(now);
    now = next;
    history.replaceState(null, "", written(now));
    show();
  };
  const withCode = (codes, k, code) => codes.map((one, other) => (other === k ? code : one));
  const set = (k, code) => commit({ codes: withCode(now.codes, k, code) });

  // --- words --------------------------------------------------------------------------------------
  const digits = (number) => {
    const size = Math.abs(number);
    if (size >= 1000) return Math.round(number).toLocaleString("en-US");
    return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
  };
  const estimate = (metric, row) => {
    const ends = [metric.low?.[row], metric.high?.[row]].filter((end) => end !== null && end !== undefined);
    const interval = ends.length === 2 ? ` [${ends.map(digits).join(", ")}]` : "";
    return `${digits(metric.value[row])}${interval} ${metric.unit}`;
  };
  const short = (key) => key.key.split(".").at(-1);
  const named = (row) => keys.map((key, k) => `${short(key)}=${key.names[at[k][row]]}`).join(", ");
  const plain = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const hover = (row) => {
    const known = metrics.filter((metric) => metric.value[row] !== null).map((metric) => estimate(metric, row));
    const why = text.refused(row) ? `refused: ${text.refused(row)}` : text.limit(row) && `limited by ${text.limit(row)}`;
    return [named(row), ...known, why, beyond.has(row) && "beyond the calibrated range"].filter(Boolean).map(plain).join("<br>");
  };
  const quoted = (word) => (/^[\w.,:=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const command = (row) => [data.command, ...keys.map((key, k) => {
    const value = valueOf(k, at[k][row]);
    return `--set ${quoted(`${key.key}=${value === "not set" ? "null" : value}`)}`;
  })].join(" ");

  // --- the controls -------------------------------------------------------------------------------
  const h = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== null) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const select = (id, label, names, changed) => {
    const made = h("select", { id, "aria-label": label, onchange: () => changed(Number(made.value)) },
      ...names.map((name, i) => h("option", { value: i }, name)));
    return made;
  };
  const controls = keys.map((key, k) => {
    const id = `set-${key.key}`;
    const label = h("label", { for: id }, key.key);
    if (!key.numbers) {
      const choice = select(id, key.key, key.names, (code) => set(k, code));
      return { row: h("div", {}, label, choice), show: (code) => { choice.value = code; } };
    }
    const said = h("output", { for: id });
    const name = (code) => {
      said.textContent = key.names[code];
      range.setAttribute("aria-valuetext", key.names[code]);
    };
    const range = h("input", { id, type: "range", min: 0, max: key.names.length - 1, step: 1,
      oninput: () => { name(range.value); answer(rowOf(withCode(now.codes, k, Number(range.value)))); },
      onchange: () => set(k, Number(range.value)) });
    return { row: h("div", {}, label, range, said), show: (code) => { range.value = code; name(code); } };
  });
  const part = (name) => section.querySelector(`.${name}`);
  part("controls").append(...controls.map((one) => one.row));
  const undo = h("button", { type: "button", onclick: () => {
    now = past.pop() ?? now;
    history.replaceState(null, "", written(now));
    show();
  } }, "Undo");
  part("controls").append(h("p", {}, undo));
  const names = keys.map((key) => key.key);
  const chosen = {
    metric: select("recorded-metric", "What is shown", metrics.map((metric) => metric.unit), (metric) => commit({ metric })),
    curve: select("recorded-curve", "Key of the curve", names, (curve) => commit({ curve })),
    across: select("recorded-across", "Key across", names, (across) => commit({ across })),
    up: select("recorded-up", "Key upwards", names, (up) => commit({ up })),
  };
  part("curve-choice").append(chosen.metric, " over ", chosen.curve);
  part("heat-choice").append("across ", chosen.across, ", upwards ", chosen.up);
  const prices = keys.map((key, k) => (key.numbers ? h("input", { id: `price-${key.key}`, type: "number", step: "any",
    onchange: () => commit({ prices: now.prices.map((one, other) => (other === k ? Number(prices[k].value) || 0 : one)) }) }) : null));
  part("prices").append(...keys.flatMap((key, k) => (prices[k] ? [h("label", {}, `price of each ${short(key)} `, prices[k])] : [])));

  // --- figures ------------------------------------------------------------------------------------
  const axis = (k) => {
    const { key, numbers, names, log } = keys[k];
    if (!numbers) return { title: { text: key }, type: "category" };
    // A logarithmic axis of its own would name single digits.
    const every = Math.ceil(names.length / Math.max(2, Math.floor(section.clientWidth / 90)));
    const some = (all) => all.filter((_, i) => i % every === 0);
    // 1 and 2 lcores, not 1.2: few numbers that don't lie on each other have marks of their own.
    const least = 0.15 * (numbers.at(-1) - numbers[0]);
    const few = numbers.every((number, i) => i === 0 || number - numbers[i - 1] >= least);
    return { title: { text: key }, type: log ? "log" : "linear",
      ...(log || few ? { tickvals: some(numbers), ticktext: some(names) } : {}) };
  };
  const layout = (more) => {
    const made = { ...structuredClone(data.layout), ...more };
    for (const name of ["xaxis", "yaxis"]) made[name] = { ...data.layout[name], ...more[name] };
    return made;
  };
  const xOf = (k, row) => (keys[k].numbers ? keys[k].numbers[at[k][row]] : plain(keys[k].names[at[k][row]]));

  function curve() {
    const [k, metric] = [now.curve, metrics[now.metric]];
    const line = grid
      ? keys[k].names.map((_, code) => rows.get(place(withCode(now.codes, k, code)))).filter((row) => metric.value[row] !== null)
      : [...Array(points).keys()].filter((row) => metric.value[row] !== null)
        .map((row) => [distance(row, now.codes, k), row]).sort(([a], [b]) => a - b).slice(0, 100).map(([, row]) => row);
    const ends = metric.low && line.every((row) => metric.low[row] !== null) ? line : [];
    const band = { x: [...ends, ...[...ends].reverse()].map((row) => xOf(k, row)), y: [...ends.map((row) => metric.high[row]), ...[...ends].reverse().map((row) => metric.low[row])],
      fill: "toself", fillcolor: colours.band, mode: "lines", line: { width: 0 }, hoverinfo: "skip", name: "95 % interval", showlegend: true };
    const marks = { x: line.map((row) => xOf(k, row)), y: line.map((row) => metric.value[row]), hovertext: line.map(hover), hoverinfo: "text", customdata: line,
      mode: grid && keys[k].numbers ? "lines+markers" : "markers", line: { color: colours.line }, name: "the nearest points, the nearest 20 larger", showlegend: !grid,
      marker: { color: colours.line, line: { width: 0 }, size: grid ? 6 : line.map((_, i) => (i < 20 ? 8 : 4)), symbol: line.map((row) => (beyond.has(row) ? "circle-open" : "circle")) } };
    const outside = { x: [null], y: [null], mode: "markers", name: "beyond the calibrated range", showlegend: line.some((row) => beyond.has(row)), marker: { color: colours.line, symbol: "circle-open", size: 6 } };
    const row = rowOf(now.codes);
    const here = { x: [xOf(k, row)], y: [metric.value[row]], mode: "markers", marker: { color: colours.here, size: 12, symbol: "diamond" }, name: "set", showlegend: true, hoverinfo: "skip" };
    return [[...(grid && keys[k].numbers ? [band] : []), marks, outside, here], layout({ xaxis: axis(k), yaxis: { title: { text: `${metric.unit}, ${data.kind}` }, rangemode: "tozero" } })];
  }

  function heat() {
    const [x, y, metric] = [now.across, now.up, metrics[now.metric]];
    const cells = keys[y].names.map((_, j) => keys[x].names.map((__, i) => rows.get(place(withCode(withCode(now.codes, x, i), y, j)))));
    const of = (k) => keys[k].names.map(plain);
    const map = { type: "heatmap", x: of(x), y: of(y), z: cells.map((line) => line.map((row) => metric.value[row])), customdata: cells,
      hovertext: cells.map((line) => line.map(hover)), hoverinfo: "text", colorscale: colours.scale, xgap: 1, ygap: 1,
      colorbar: { title: { text: narrow.matches ? "" : metric.unit, side: "right" }, thickness: 14, outlinewidth: 0 } };
    const mark = (found, marker, name) => ({ x: found.map((row) => plain(keys[x].names[at[x][row]])), y: found.map((row) => plain(keys[y].names[at[y][row]])),
      mode: "markers", marker, name, hoverinfo: "skip", showlegend: found.length > 0 });
    const category = (k) => ({ title: { text: keys[k].key }, type: "category", categoryorder: "array", categoryarray: of(k) });
    return [[map, mark(cells.flat().filter((row) => beyond.has(row) && metric.value[row] !== null), { symbol: "x-thin", size: 7, line: { width: 1, color: colours.here } }, "beyond the calibrated range"),
      mark([rowOf(now.codes)], { symbol: "square-open", size: 14, color: colours.here, line: { width: 2 } }, "set")],
    layout({ height: Math.min(560, Math.max(300, 130 + 26 * keys[y].names.length)), xaxis: category(x), yaxis: category(y) })];
  }

  const costOf = (row) => keys.reduce((sum, key, k) => sum + (key.numbers ? key.numbers[at[k][row]] * now.prices[k] : 0), 0);
  function front() {
    const rate = metrics[0].value;
    const known = [...Array(points).keys()].filter((row) => rate[row] !== null).map((row) => [costOf(row), row]);
    known.sort(([a, one], [b, other]) => a - b || rate[other] - rate[one]);
    let best = -Infinity;
    const found = known.filter(([, row]) => rate[row] > best && ((best = rate[row]), true));
    const every = Math.ceil(known.length / 2000);
    const cloud = known.filter((_, i) => i % every === 0);
    const trace = (which, more) => ({ x: which.map(([cost]) => cost), y: which.map(([, row]) => rate[row]), customdata: which.map(([, row]) => row),
      hovertext: which.map(([cost, row]) => `cost ${digits(cost)}<br>${hover(row)}`), hoverinfo: "text", ...more });
    part("front-table").replaceChildren(...found.map(([cost, row]) => h("tr", {}, h("td", { class: "number" }, digits(cost)), h("td", { class: "number" }, estimate(metrics[0], row)),
      h("td", {}, named(row)), h("td", {}, h("button", { type: "button", onclick: () => commit({ codes: codesOf(row) }) }, "Set")))));
    return [[trace(cloud, { mode: "markers", marker: { color: colours.line, opacity: 0.35, size: 4 }, name: "recorded points", showlegend: true }),
      trace(found, { mode: "lines+markers", line: { shape: "hv", color: colours.here }, marker: { size: 8 }, name: "no other is faster and as cheap", showlegend: true })],
    layout({ xaxis: { title: { text: "cost" }, rangemode: "tozero" }, yaxis: { title: { text: `Mpps, ${data.kind}` }, rangemode: "tozero" } })];
  }

  // draw.js draws a figure first from the text next to it; a click on a point of it sets that point.
  const figures = { "recorded-curve-plot": curve, "recorded-front-plot": front };
  if (grid && keys.length > 1) figures["recorded-heat-plot"] = heat;
  else part("heat").remove();
  const isSet = (plot) => plot.data !== undefined;
  for (const id of Object.keys(figures)) {
    const plot = document.getElementById(id);
    plot.addEventListener("drawn", () => plot.on("plotly_click", ({ points: [one] }) => {
      if (Number.isInteger(one.customdata)) commit({ codes: codesOf(one.customdata) });
    }));
  }

  // --- the answer ---------------------------------------------------------------------------------
  function answer(row) {
    const why = text.refused(row);
    const [first, ...others] = metrics.filter((metric) => metric.value[row] !== null).map((metric) => estimate(metric, row));
    const limit = !why && text.limit(row) ? `limited by ${text.limit(row)}` : null;
    part("answer").replaceChildren(h("strong", {}, why ? "refused" : first),
      ` ${why || [...others, limit, data.kind].filter(Boolean).join("; ")}`,
      ...(beyond.has(row) ? [h("b", { class: "beyond" }, " beyond the calibrated range")] : []),
      ...(grid ? [] : [h("small", {}, ` at ${named(row)}`)]));
    if (data.command) part("again").replaceChildren(h("code", {}, command(row)));
  }
  function show() {
    controls.forEach((control, k) => control.show(now.codes[k]));
    for (const [name, one] of Object.entries(chosen)) one.value = now[name];
    prices.forEach((input, k) => { if (input && document.activeElement !== input) input.value = now.prices[k]; });
    undo.disabled = past.length === 0;
    answer(rowOf(now.codes));
    for (const [id, figure] of Object.entries(figures)) {
      const plot = document.getElementById(id);
      const [traces, shape] = figure();
      if (isSet(plot)) Plotly.react(plot, traces, { ...shape, dragmode: plot.layout.dragmode, width: plot.layout.width, autosize: plot.layout.autosize });
      else document.getElementById(`${id}-data`).textContent = JSON.stringify({ data: traces, layout: shape });
    }
  }
  const take = () => { if (location.hash.startsWith(MARK)) now = read(location.hash); };
  addEventListener("hashchange", () => { if (location.hash.startsWith(MARK) && location.hash !== written(now)) { past.push(now); take(); show(); } });
  take();
  show();
})();
