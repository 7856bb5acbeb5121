"use strict";
// Before anything is drawn, so that no page flashes in the other colours.
(() => {
  const KEY = "planecast-theme";
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem(KEY) ?? "system";
    } catch {
      return "system"; // storage is refused: the system's colours
    }
  };
  const show = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  let theme = read();
  show(theme);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = { system: "Auto", light: "Light", dark: "Dark" }[theme];
      button.setAttribute("aria-label", `Colours: ${theme}`);
    };
    button.addEventListener("click", () => {
      theme = { system: "light", light: "dark", dark: "system" }[theme];
      show(theme);
      label();
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // It holds until the page is closed.
      }
    });
    label();
  });
})();
