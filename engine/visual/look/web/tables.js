// Tables that sort by a click on a heading.
function sortable(columns, rows, caption, digits = 3) {
  const body = element("tbody");
  const cell = (value, i) => (i === 0
    ? element("th", { scope: "row", title: String(value) }, named(String(value)))
    : element("td", { className: typeof value === "string" ? "text" : "" }, typeof value === "string" ? named(value) : number(value, digits)));
  const fill = (order) => body.replaceChildren(...order.map((row) => element("tr", {}, ...row.map(cell))));
  let by = null, down = true;
  const heads = columns.map((column, i) => {
    const button = element("button", { className: "sort" }, named(column));
    const head = element("th", { scope: "col", "aria-sort": "none" }, button);
    button.addEventListener("click", () => {
      down = by === i ? !down : true;
      by = i;
      heads.forEach((other, k) => other.setAttribute("aria-sort", k === i ? (down ? "descending" : "ascending") : "none"));
      const value = (row) => (row[i] === null || Number.isNaN(row[i]) ? -Infinity : row[i]);
      fill([...rows].sort((a, b) => (value(a) < value(b) ? 1 : value(a) > value(b) ? -1 : 0) * (down ? 1 : -1)));
    });
    return head;
  });
  fill(rows);
  const table = element("table", { className: "numbers" }, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...heads)), body);
  return element("div", { className: "scroll" }, table);
}
