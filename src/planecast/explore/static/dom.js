// Elements by a call each.

const SVG = "http://www.w3.org/2000/svg";

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([k, v]) => element.style.setProperty(k, v));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element: h("p", {class: "x", onclick: f}, "text", child). */
export const h = (tag, attributes, ...children) =>
  made(document.createElement(tag), attributes, children);

/** The same of SVG. */
export const s = (tag, attributes, ...children) =>
  made(document.createElementNS(SVG, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

const PANELS = ["stages", "curve", "heat", "machines", "timed", "front", "measure", "history"];

/** A panel of the page: a section with a heading, and what follows it. Panels have one order,
 *  whichever answer is there first. */
export function panel(id, title, ...children) {
  const section = h("section", { id, class: "panel", "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title), ...children);
  const later = PANELS.slice(PANELS.indexOf(id) + 1).map(byId).find((one) => one !== null);
  byId("panels").insertBefore(section, later ?? null);
  return section;
}
