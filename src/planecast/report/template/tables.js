"use strict";
// Tables of class "data": a click on a heading sorts by its column, a button saves them as CSV.
// Cells carry their number in all its digits (data-value) and its interval (data-low, data-high).
(() => {
  const number = (cell) => {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.firstChild?.textContent ?? "";
    return parseFloat(text.replace(/,(?=\d{3})/g, "").replace("−", "-"));
  };
  const words = (cell) => (cell.firstChild?.textContent ?? "").trim();
  const byText = new Intl.Collator("en", { numeric: true }).compare;
  // Where nothing is known comes last, whichever way the column is sorted.
  const compare = (numeric, down) => (a, b) => {
    if (!numeric) return down * byText(a, b);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return down * (a - b);
  };
  const sort = (table, column, heading) => {
    const down = heading.ariaSort === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.ariaSort = down === 1 ? "ascending" : "descending";
    const numeric = heading.classList.contains("number");
    const key = numeric ? number : words;
    const order = compare(numeric, down);
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    rows.sort(([a], [b]) => order(a, b));
    body.append(...rows.map(([, row]) => row));
  };
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csv = (table) => {
    const rows = [...table.tBodies[0].rows];
    const columns = [...table.tHead.rows[0].cells].map((heading, at) => {
      const name = heading.innerText.replace(/\s+/g, " ").replace(/[▲▼]/g, "").trim();
      const ends = rows.some((row) => row.cells[at].dataset.low !== undefined);
      return { at, names: ends ? [name, `${name} low`, `${name} high`] : [name], ends };
    });
    const line = (row) =>
      columns.flatMap(({ at, ends }) => {
        const { value, low, high } = row.cells[at].dataset;
        const whole = row.cells[at].textContent.replace(/\s+/g, " ").trim();
        const first = value ?? (whole === "–" ? "" : whole);
        return ends ? [first, low ?? "", high ?? ""] : [first];
      });
    const lines = [columns.flatMap(({ names }) => names), ...rows.map(line)];
    return lines.map((cells) => cells.map(quoted).join(",") + "\n").join("");
  };
  const save = (table, name) => {
    const link = document.createElement("a");
    const address = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
    link.setAttribute("href", address);
    link.download = `${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  for (const table of document.querySelectorAll("table.data")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      heading.tabIndex = 0;
      heading.title = "Sort by this column";
      heading.addEventListener("click", () => sort(table, column, heading));
      heading.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        sort(table, column, heading);
      });
    });
    const button = document.createElement("button");
    button.type = "button";
    button.className = "csv";
    button.textContent = "CSV";
    button.title = "Save this table as CSV";
    button.addEventListener("click", () =>
      save(table, table.closest("[id]")?.id || "table"));
    table.parentElement.after(button);
  }
})();
