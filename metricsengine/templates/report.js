"use strict";
// Makes tables sortable: headings become buttons, what is missing among numbers always comes last.
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

function sorted(rows, column, measured, sign) {
  const cells = rows.map((row) => row.cells[column]);
  const texts = cells.map((cell) => cell.textContent.trim());
  const missing = cells.map((cell) => cell.classList.contains("quiet"));
  const numbers = cells.map((cell, i) => Number(measured ? cell.dataset.v : missing[i] ? NaN : texts[i] || NaN));
  // Levels such as 0.05 and 0.1 are texts, and are sorted as the numbers that they are.
  const numeric = measured || numbers.every((number, i) => missing[i] || !Number.isNaN(number));
  const words = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => {
    if (!numeric) return sign * words.compare(texts[a], texts[b]);
    const [first, second] = [numbers[a], numbers[b]];
    if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
    return sign * (first - second);
  };
  return [...rows.keys()].sort(compare).map((i) => rows[i]);
}
