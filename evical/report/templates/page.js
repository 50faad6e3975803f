"use strict";
// Tables sort by a click on a heading: up, down, and as they were. Without this they only stand still.
(function () {
  const words = new Intl.Collator(document.documentElement.lang, { numeric: true });

  function compare(a, b) {
    if (a.number !== null && b.number !== null) return a.number - b.number;
    return words.compare(a.text, b.text);
  }

  function keyOf(row, column) {
    const cell = row.cells[column];
    const value = cell.dataset.value;
    return { number: value === undefined ? null : Number(value), text: cell.textContent.trim() };
  }

  function sorted(rows, column, direction) {
    if (direction === "none") return rows;
    const keyed = rows.map((row) => ({ row, key: keyOf(row, column) }));
    const numeric = keyed.some((one) => one.key.number !== null);
    const missing = keyed.filter((one) => numeric ? one.key.number === null : one.key.text === "");
    const known = keyed.filter((one) => !missing.includes(one));
    const sign = direction === "descending" ? -1 : 1;
    // Array sorts are stable, so that equal cells keep their order.
    known.sort((a, b) => sign * compare(a.key, b.key));
    return known.concat(missing).map((one) => one.row);
  }

  function show(body, rows) {
    let group = null;
    for (const row of rows) {
      const name = row.cells[0].textContent;
      row.classList.toggle("first", name !== group);
      group = name;
      body.append(row);
    }
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    if (rows.length < 2) return;
    const headings = Array.from(table.tHead.rows[0].cells);
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "none" };
        const direction = next[heading.getAttribute("aria-sort")] || "ascending";
        headings.forEach((one) => one.removeAttribute("aria-sort"));
        if (direction !== "none") heading.setAttribute("aria-sort", direction);
        show(body, sorted(rows, column, direction));
      });
    });
  }

  document.querySelectorAll("table").forEach(makeSortable);
})();
