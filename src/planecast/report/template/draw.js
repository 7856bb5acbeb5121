"use strict";
// Draws each figure when it is first seen: those behind folds when their fold opens.
(() => {
  const touch = matchMedia("(pointer: coarse)").matches;
  const config = {
    responsive: true,
    displaylogo: false,
    // Named one by one: Plotly's own choice has a button that uploads the figure.
    modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
    plotlyServerURL: "",
    // On a narrow screen the buttons would lie over the legend.
    displayModeBar: innerWidth < 640 ? false : "hover",
  };
  const plots = [...document.querySelectorAll(".plot")];
  const screen = new Map();
  // Labels of a Sankey diagram lie on each other where it is narrow: short ones then.
  const narrow = matchMedia("(max-width: 640px)");
  const nodes = new Map();
  const label = (plot) => {
    const [trace] = plot.data;
    if (trace?.type !== "sankey") return;
    if (!nodes.has(plot)) nodes.set(plot, [trace.node.label, trace.node.customdata]);
    const [whole, short] = nodes.get(plot);
    const labels = narrow.matches ? short : whole;
    Plotly.restyle(plot, { "node.label": [labels], "textfont.size": narrow.matches ? 10 : 13 });
  };
  narrow.addEventListener("change", () => [...screen.keys()].forEach(label));
  const draw = (plot) => {
    if (screen.has(plot)) return;
    const figure = JSON.parse(document.getElementById(`${plot.id}-data`).textContent);
    // A finger that scrolls the page must not zoom a figure.
    if (touch) figure.layout.dragmode = false;
    Plotly.newPlot(plot, figure.data, figure.layout, config);
    if (narrow.matches) label(plot);
    plot.dispatchEvent(new Event("drawn"));
    screen.set(plot, {
      height: plot.layout.height,
      least: plot.style.minHeight,
      tick: plot.layout.yaxis?.tickfont?.size,
    });
  };
  let printing = false;
  for (const plot of plots) {
    const fold = plot.closest("details");
    if (!fold || fold.open) draw(plot);
    fold?.addEventListener("toggle", () => {
      if (!fold.open || printing) return;
      draw(plot);
      // The window may have changed its width while the fold was closed.
      Plotly.Plots.resize(plot);
    });
  }
  // Plotly follows the window, but puts a legend whose lines become fewer onto the bars: once more.
  const widths = new Map();
  let later = 0;
  new ResizeObserver(() => {
    if (printing) return;
    clearTimeout(later);
    later = setTimeout(() => {
      for (const plot of screen.keys()) {
        const width = plot.clientWidth;
        if (width && widths.get(plot) !== width) Plotly.redraw(plot);
        widths.set(plot, width);
      }
    }, 150);
  }).observe(document.body);
  // Paper is narrower than the window and lower than a long figure, and a browser lays out for it
  // without a resize event.
  const paper = { width: 900, height: 620, tick: 8 };
  const fit = (plot, width, height, tick) =>
    Plotly.relayout(plot, { width, height, autosize: width === null, "yaxis.tickfont.size": tick });
  addEventListener("beforeprint", () => {
    printing = true;
    for (const plot of plots) {
      draw(plot);
      const { height, tick } = screen.get(plot);
      const long = height > paper.height;
      plot.style.minHeight = "0";
      fit(plot, paper.width, long ? paper.height : height, long ? paper.tick : tick);
    }
  });
  addEventListener("afterprint", () => {
    printing = false;
    for (const plot of plots) {
      const { height, least, tick } = screen.get(plot);
      plot.style.minHeight = least;
      fit(plot, null, height, tick);
    }
  });
})();
