// The links of the workspace that the server was started in, and what they would change.
import { byID } from "./dom.js";
import * as server from "./server.js";

let address = ""; // of the picture

/** Shows the workspace. */
export async function showWorkspace() {
  try {
    const picture = await server.graph();
    URL.revokeObjectURL(address);
    byID("graph").src = address = URL.createObjectURL(picture);
    byID("plan").textContent = await server.plan() || "Nothing would change.";
    byID("workspace-problem").textContent = "";
  } catch (problem) {
    byID("workspace-problem").textContent = problem.message;
  }
  byID("workspace").hidden = false;
}
