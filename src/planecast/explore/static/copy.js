// The page as a person takes it elsewhere: a command line, YAML, a link.

import { ask } from "./ask.js";
import { byId, h } from "./dom.js";
import { state } from "./state.js";

let dialog = null;

/** Opens what can be copied. */
export async function openCopy() {
  const found = await ask("copy", { changes: state().changes });
  dialog ??= document.body.appendChild(h("dialog", { id: "copy-dialog", "aria-label": "Copy" }));
  const close = h("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const parts = found.refused ? [h("p", {}, found.refused)] : [
    part("link", "A link to this page as it is set (what stands behind # fits any page of planecast explore)", location.href),
    part("yaml", found.file ? "The scenario" : "The scenario: save it as scenario.yaml", found.yaml),
    ...Object.entries(found.commands).map(([verb, line]) => part(verb, verb, line)),
  ];
  dialog.replaceChildren(...parts, close);
  if (!dialog.open) dialog.showModal();
}

function part(id, title, text) {
  const said = h("pre", { id: `copy-${id}`, tabindex: 0 }, text);
  const button = h("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      byId("status").textContent = `copied: ${id}`;
      button.textContent = "Copied";
    } catch { // no clipboard: it is marked, for the reader's own keys
      getSelection().selectAllChildren(said);
    }
  } }, "Copy");
  return h("section", {}, h("h3", {}, title, " ", button), said);
}
