// The views of a result: the difference, findings, values, changes and the configuration.
import { byID, make, table } from "./dom.js";
import { reader } from "./editor.js";

/** Shows an answer of the server to a request: {file, text, functions}. show is called with the line
 * that somebody wants to see. */
export function showResult(sent, answer, show) {
  const { file, text: before } = sent;
  const findings = answer.Findings ?? [];
  const rows = changes(answer.Mutations).map((r) => [r.name, r.path, r.what, r.value, sent.functions[r.by]]);
  const views = [
    answer.text !== before && {
      name: "Difference", show: (to) => reader(to, file, "Difference", answer.text, before),
    },
    findings.length > 0 && {
      name: "Findings", count: findings.length,
      show: (to) => to.append(make("ul", { class: "findings" }, ...findings.map((f) => finding(f, show)))),
    },
    ...answer.outputs.map((output) => ({
      name: titles[output.type] ?? output.type,
      count: Array.isArray(output.value) ? output.value.length : null,
      show: (to) => to.append(shown(output, show)),
    })),
    rows.length > 0 && {
      name: "Mutations", count: rows.length,
      show: (to) => to.append(table("Mutations", ["Resource", "Path", "Change", "Value", "Function"], rows)),
    },
    { name: "Configuration", show: (to) => reader(to, file, "Configuration after the chain", answer.text) },
  ].filter(Boolean);
  if (findings.some((f) => f.Level !== "note")) { // what is wrong comes first
    views.sort((a, b) => (b.name === "Findings") - (a.name === "Findings"));
  }
  tabs(views);
}

/** Returns the rows of a list of mutations: resource, path, what happens, value, number of the function. */
function changes(mutations) {
  const rows = [];
  for (const { Resource: resource, ResourceMutationInfo: whole, PathMutationMap: paths } of mutations ?? []) {
    const name = `${resource.ResourceType} ${resource.ResourceName}`;
    const add = (path, info) => {
      if (info.MutationType !== "None") {
        rows.push({ name, path, what: info.MutationType, value: (info.Value ?? "").trimEnd(), by: info.Index });
      }
    };
    const inside = Object.entries(paths ?? {});
    if (inside.length === 0) add("", whole);
    for (const [path, info] of inside) add(path, info);
  }
  return rows;
}

/** Shows no view. */
export function showNoResult() { tabs([]); }

/** Says how a run ended. */
export function summary(before, answer) {
  const findings = answer.Findings ?? [];
  const errors = findings.filter((f) => f.Level === "error").length;
  const words = [answer.text === before ? "nothing changed" : "the configuration changed"];
  if (errors > 0) words.push(`${errors} ${errors === 1 ? "error" : "errors"}`);
  if (findings.length > errors) words.push(`${findings.length - errors} more to note`);
  return `${answer.Success ? "Done" : "Failed"}: ${words.join(", ")}.`;
}

const titles = {
  AttributeValueList: "Values", ResourceInfoList: "Resources", ResourceList: "Resources",
  ValidationResult: "Validations", ValidationResultList: "Validations",
};

/** Makes the item of a finding, with a button that leads to its line. */
export function finding(f, show) {
  const about = [f.Function, f.Resource, f.Path].filter(Boolean).join(" · ");
  return make("li", { class: f.Level },
    make("span", { class: "level" }, f.Level),
    f.Line > 0
      ? make("button", { type: "button", onclick: () => show(f.Line) }, `line ${f.Line}`) : null,
    make("span", {}, f.Message), about ? make("span", { class: "hint" }, about) : null);
}

const text = (value) => typeof value === "string" ? value : JSON.stringify(value);

/** Makes the view of an output, by its type. */
function shown({ type, value }, show) {
  switch (type) {
    case "AttributeValueList":
      return table("Values", ["Resource", "Path", "Value", "Comment", "Line"], value.map((v) => [
        `${v.ResourceType} ${v.ResourceName}`, v.Path, text(v.Value), v.Comment,
        v.Position && make("button", { type: "button", onclick: () => show(v.Position.Line) },
          String(v.Position.Line)),
      ]));
    case "ResourceInfoList":
    case "ResourceList":
      return table("Resources", ["Type", "Name", "Body"], value.map((r) =>
        [r.ResourceType, r.ResourceName, r.ResourceBody && make("pre", { tabindex: "0" }, text(r.ResourceBody))]));
    case "ValidationResult":
    case "ValidationResultList":
      return table("Validations", ["Function", "Result", "Score"], [value].flat().map((r) =>
        [r.FunctionName, r.Passed ? "passed" : "failed", r.Score]));
  }
  const payload = type === "YAML" ? value.Payload ?? value : value;
  return make("pre", { tabindex: "0" },
    typeof payload === "string" ? payload : JSON.stringify(payload, null, 2));
}

/** Shows one of several views, as https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ describes. */
function tabs(views) {
  const list = byID("tabs"), panel = byID("view");
  const select = (i, focus) => {
    buttons.forEach((b, n) => {
      b.setAttribute("aria-selected", n === i);
      b.tabIndex = n === i ? 0 : -1;
    });
    panel.replaceChildren();
    panel.setAttribute("aria-labelledby", buttons[i].id);
    views[i].show(panel);
    if (focus) buttons[i].focus();
  };
  const buttons = views.map((v, i) => make("button", {
    type: "button", role: "tab", id: `tab-${i}`, "aria-controls": "view",
    onclick: () => select(i),
    onkeydown: (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: views.length - 1 }[event.key];
      if (to == null) return;
      event.preventDefault();
      select((to + views.length) % views.length, true);
    },
  }, v.count == null ? v.name : `${v.name} (${v.count})`));
  list.replaceChildren(...buttons);
  panel.hidden = views.length === 0;
  if (views.length > 0) select(0);
  else panel.replaceChildren();
}
