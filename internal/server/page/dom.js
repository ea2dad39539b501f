// Elements of the page.

/** Returns the element with an id. */
export const byID = (id) => document.getElementById(id);

/** Makes an element with attributes, listeners (names that begin with "on") and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/** Makes a table with headings. A row is a list of texts and elements. */
export function table(label, headings, rows) {
  const line = (cells) => make("tr", { role: "row" }, ...cells);
  // Roles stay when a narrow window shows the cells one below the other.
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    make("table", { role: "table" },
      make("thead", {}, line(headings.map((h) => make("th", { role: "columnheader" }, h)))),
      make("tbody", {}, ...rows.map((row) => line(headings.map((h, i) =>
        make("td", { role: "cell", "data-heading": h }, row[i] ?? "")))))));
}
