"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  /* Light or dark: the screen decides until the reader does. */
  const root = document.documentElement;
  const theme = byId("theme");
  const screenIsDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : screenIsDark.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  screenIsDark.addEventListener("change", nameTheme);
  nameTheme();

  /* Copying code. Without the clipboard interface the text is selected for the reader. */
  const select = (element) => getSelection().selectAllChildren(element);
  document.querySelectorAll("button.copy").forEach((button) => {
    button.addEventListener("click", async () => {
      const code = button.closest(".code").querySelector("code");
      let word = "Copied";
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        select(code);
        word = "Selected";
      }
      button.textContent = word;
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
  });

  /* Tables: a click on a head sorts, missing values always last; fields above filter. */
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const key = (row, column, kind) => {
    const cell = row.cells[column];
    if (kind === "text") return cell.textContent;
    return cell.dataset.sort === undefined ? null : Number(cell.dataset.sort);
  };
  const compare = (a, b, kind) => (kind === "text" ? order.compare(a, b) : a - b);

  const sort = (table, column, kind, ascending) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, value: key(row, column, kind) }));
    const known = rows.filter((item) => item.value !== null);
    const missing = rows.filter((item) => item.value === null);
    known.sort((a, b) => (ascending ? 1 : -1) * compare(a.value, b.value, kind));
    body.append(...known.concat(missing).map((item) => item.row));
    Array.from(table.tHead.rows[0].cells, (head, i) =>
      head.setAttribute("aria-sort", i !== column ? "none" : ascending ? "ascending" : "descending"));
  };

  const makeSortable = (table) => {
    table.classList.add("sortable");
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      const kind = head.dataset.kind;
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const ascending = now === "none" ? kind === "text" : now === "descending";
        sort(table, column, kind, ascending);
      });
    });
  };

  const makeFilterable = (panel) => {
    const table = byId(panel.dataset.table);
    const name = byId(`${table.id}-name`);
    const state = byId(`${table.id}-state`);
    const count = byId(`${table.id}-count`);
    const rows = Array.from(table.tBodies[0].rows, (row) => ({
      row,
      name: row.querySelector("th").textContent.toLowerCase(),
      states: row.dataset.state.split(" "),
    }));
    const apply = () => {
      const wanted = name.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach((item) => {
        const fits = item.name.includes(wanted) && (!state.value || item.states.includes(state.value));
        item.row.hidden = !fits;
        shown += fits;
      });
      count.textContent = `${shown} of ${rows.length} variable${rows.length === 1 ? "" : "s"}`;
    };
    panel.hidden = false;
    name.addEventListener("input", apply);
    state.addEventListener("change", apply);
    makeSortable(table);
    apply();
  };
  document.querySelectorAll(".filters").forEach(makeFilterable);

  /* On paper nothing is folded away. */
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((part) => { part.open = false; }));
})();
