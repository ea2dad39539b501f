// The links of the workspace that the server was started in, and what they would change.
import { byID, make } from "./dom.js";
import { changes, changesTable } from "./changes.js";
import * as server from "./server.js";

let address = ""; // of the picture

/** Shows the workspace. */
export async function showWorkspace() {
  try {
    const picture = await server.graph();
    URL.revokeObjectURL(address);
    byID("graph").src = address = URL.createObjectURL(picture);
    byID("plan").replaceChildren(...plans(await server.plan()));
    byID("workspace-problem").textContent = "";
  } catch (problem) {
    byID("workspace-problem").textContent = problem.message;
  }
  byID("workspace").hidden = false;
}

function plans(units) {
  if (units.length === 0) return [make("p", {}, "Nothing would change.")];
  return units.map((unit) => {
    const name = `${unit.Space}/${unit.Unit}`;
    const rows = changes(unit.FunctionMutationSummary);
    return make("div", { class: "plan" },
      make("h4", {}, name, make("span", { class: "hint" },
        ` revision ${unit.BaseRevisionNum} → ${unit.NewRevisionNum}`)),
      make("ul", {}, ...unit.Links.map((l) => make("li", {}, `${l.Link} (${l.UpdateType}): ${l.Status}`,
        l.Message ? `: ${l.Message}` : ""))),
      rows.length > 0 ? changesTable(`Changes of ${name}`, rows) : null,
      unit.Conflicts.length > 0
        ? make("p", { class: "problem" }, `${unit.Conflicts.length} conflicts: fctl link plan shows them`)
        : null);
  });
}
