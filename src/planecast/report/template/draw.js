"use strict";
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
  for (const plot of plots) {
    const figure = JSON.parse(document.getElementById(`${plot.id}-data`).textContent);
    // A finger that scrolls the page must not zoom a figure.
    if (touch) figure.layout.dragmode = false;
    Plotly.newPlot(plot, figure.data, figure.layout, config);
  }
  // Paper is narrower than the window and lower than a long figure, and a browser lays out for it
  // without a resize event.
  const paper = { width: 900, height: 620, tick: 8 };
  const screen = plots.map((plot) => ({
    plot,
    height: plot.layout.height,
    least: plot.style.minHeight,
    tick: plot.layout.yaxis.tickfont?.size,
  }));
  const fit = (plot, width, height, tick) =>
    Plotly.relayout(plot, { width, height, autosize: width === null, "yaxis.tickfont.size": tick });
  addEventListener("beforeprint", () => {
    for (const { plot, height, tick } of screen) {
      const long = height > paper.height;
      plot.style.minHeight = "0";
      fit(plot, paper.width, long ? paper.height : height, long ? paper.tick : tick);
    }
  });
  addEventListener("afterprint", () => {
    for (const { plot, height, least, tick } of screen) {
      plot.style.minHeight = least;
      fit(plot, null, height, tick);
    }
  });
})();
