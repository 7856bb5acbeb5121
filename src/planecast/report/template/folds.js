"use strict";
// Folds open for a link into them, for paper, and all together at a button.
(() => {
  const folds = [...document.querySelectorAll("details")];
  const openTarget = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const fold = target.closest("details") ?? target.querySelector(":scope > details");
    if (fold) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", openTarget);
  openTarget();
  const button = document.getElementById("unfold");
  const all = () => folds.every((fold) => fold.open);
  const label = () => { button.textContent = all() ? "Close all" : "Open all"; };
  button.hidden = folds.length === 0;
  button.addEventListener("click", () => {
    const open = !all();
    for (const fold of folds) fold.open = open;
  });
  for (const fold of folds) fold.addEventListener("toggle", label);
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
})();
