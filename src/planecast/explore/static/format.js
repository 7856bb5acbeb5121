// Numbers and values as a person reads them.

/** Four significant digits without an exponent. */
export function digits(number) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size >= 1000) return Math.round(number).toLocaleString("en-US");
  return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

const SCALES = { pps: [1e6, "Mpps"], ns: [1e3, "µs"] };

/** [text of the value, text of the interval, unit] of an estimate. */
export function parts(estimate) {
  if (!estimate) return ["–", "", ""];
  const [scale, unit] = SCALES[estimate.unit] ?? [1, estimate.unit];
  const interval =
    estimate.low === null ? "" : `[${digits(estimate.low / scale)}, ${digits(estimate.high / scale)}]`;
  return [digits(estimate.value / scale), interval, unit];
}

/** All of an estimate on a line: value, interval, unit, samples, kind. */
export function estimateText(estimate) {
  const samples = estimate?.samples ? `, ${estimate.samples} samples` : "";
  return estimate ? `${parts(estimate).filter(Boolean).join(" ")} (${estimate.kind}${samples})` : "–";
}

const BINARY = [[2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"]];

/** A key's value as it is typed: 65536 is 64Ki, 14880000 is 14.88M. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  for (const [size, unit] of BINARY) {
    if (value >= size && value % size === 0) return `${value / size}${unit}`;
  }
  if (value >= 1e6 && value % 1e3 === 0) {
    const [size, unit] = value >= 1e9 ? [1e9, "G"] : [1e6, "M"];
    return `${value / size}${unit}`;
  }
  return String(value);
}

/** What a person typed, as the server takes it: a number where it is one, nothing for nothing. */
export function typed(text) {
  const plain = text.trim();
  if (plain === "" || plain === "null") return null;
  const number = Number(plain);
  if (Number.isFinite(number)) return number;
  const match = /^([0-9.]+) ?(Ki|Mi|Gi|k|M|G)$/.exec(plain);
  if (!match) return plain;
  const sizes = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9 };
  return Number(match[1]) * sizes[match[2]];
}

/** The last part of a dotted key. */
export const shortKey = (key) => key.split(".").at(-1);
