"use strict";
// Makes tables sortable: headings become buttons, undefined values always come last.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  if (body.rows.length < 2) continue;
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of headings) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      body.append(...sorted([...body.rows], column, heading.className !== "text", ascending ? 1 : -1));
    });
  });
}

function sorted(rows, column, numeric, sign) {
  const words = new Intl.Collator(undefined, { numeric: true });
  const key = (row) => {
    const cell = row.cells[column];
    return numeric ? Number.parseFloat(cell.dataset.v) : cell.textContent;
  };
  const compare = (a, b) => {
    if (!numeric) return sign * words.compare(a, b);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (a - b);
  };
  return rows.map((row) => [key(row), row]).sort((a, b) => compare(a[0], b[0])).map(([, row]) => row);
}
