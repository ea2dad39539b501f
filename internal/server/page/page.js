// The page: what is edited, the chain, and what the server answers.
import { byID, make } from "./dom.js";
import { editor } from "./editor.js";
import { chainFile, command, invocations, problemOf, step } from "./chain.js";
import { examples } from "./examples.js";
import { finder, kind } from "./finder.js";
import { form } from "./form.js";
import { finding, showNoResult, showResult, summary } from "./result.js";
import * as server from "./server.js";
import { showWorkspace } from "./workspace.js";

let toolchains = []; // the formats of the server
let signatures = {}; // the functions of the chosen format, by name
let chain = [];
let choices = 0; // of formats
let running = null; // ends the run in work

const source = editor(byID("editor"), () => source.mark([]));
const show = (line) => source.show(line);
const showFunctions = finder((signature) => add(step(signature), true));

const file = () => byID("file").value.trim() || formatNamed(byID("toolchain").value).Example;
const formatNamed = (segment) => toolchains.find((t) => t.Segment === segment);

/** Returns the format that a file has by its name. */
function formatOf(name) {
  const base = name.replace(/^.*\//, ""), extension = /\.[^.]*$/.exec(base)?.[0].toLowerCase();
  const fits = (pattern) => pattern === extension ||
    pattern.endsWith("*") && base.startsWith(pattern.slice(0, -1));
  return toolchains.find((t) => t.Files.some(fits))?.Segment;
}

/** Uses a format: the chain keeps the steps whose functions it has. Returns false if another one was
 * chosen in the meantime. */
async function useToolchain(segment) {
  byID("toolchain").value = segment;
  const number = ++choices;
  const found = await server.signatures(segment);
  if (number !== choices) return false;
  signatures = found;
  showFunctions(signatures);
  chain = chain.flatMap((s) => {
    const signature = signatures[s.signature.FunctionName];
    return signature ? [{ ...step(signature), values: s.values, where: s.where }] : [];
  });
  drawChain();
  return true;
}

async function openExample(example) {
  if (!await open(example.text, example.file, example.toolchain)) return;
  chain = [];
  for (const [name, ...words] of example.chain) {
    if (signatures[name]) chain.push(step(signatures[name], words));
  }
  drawChain();
}

async function open(text, name, segment) {
  byID("file").value = name;
  source.open(text, name);
  showNoResult();
  say("Nothing has run yet.");
  return useToolchain(segment ?? formatOf(name) ?? byID("toolchain").value);
}

function add(newStep, focus) {
  chain.push(newStep);
  drawChain();
  say(`Added ${newStep.signature.FunctionName}.`);
  if (focus) {
    const last = byID("chain").lastElementChild;
    (last.querySelector(".field :is(input, select, textarea)") ?? last.querySelector("summary")).focus();
  }
}

function drawChain() {
  byID("empty").hidden = chain.length > 0;
  byID("chain").replaceChildren(...chain.map((s, i) => {
    const name = s.signature.FunctionName;
    const button = (label, text, enabled, act) => make("button", {
      type: "button", title: label, "aria-label": `${label}: ${name}`, disabled: !enabled,
      onclick: () => { act(); drawChain(); },
    }, text);
    return make("li", { class: "step" },
      make("div", { class: "bar" }, make("h3", {}, name),
        make("span", { class: `kind ${kind(s.signature)}` }, kind(s.signature)),
        button("Move up", "↑", i > 0, () => { chain.splice(i - 1, 0, ...chain.splice(i, 1)); }),
        button("Move down", "↓", i < chain.length - 1, () => { chain.splice(i + 1, 0, ...chain.splice(i, 1)); }),
        button("Remove", "✕", true, () => { chain.splice(i, 1); })),
      make("p", { class: "hint" }, s.signature.Description), form(s, drawTexts));
  }));
  drawTexts();
}

/** Shows the chain as text. */
function drawTexts() {
  const segment = byID("toolchain").value;
  byID("command").textContent = chain.length === 0 ? "" : 
    command(chain, file(), formatOf(file()) === segment ? "" : formatNamed(segment).Name);
  byID("chain-file").textContent = chainFile(chain);
}

const say = (text) => { byID("status").textContent = text; };

async function run() {
  const problems = chain.flatMap((s) => s.parameters.flatMap((p, i) =>
    (s.values[i].length > 0 ? s.values[i] : [""]).map((word) => problemOf(p, word)).filter(Boolean)
      .map((text) => `${s.signature.FunctionName}, ${p.ParameterName}: ${text}`)));
  if (chain.length === 0) problems.push("add a function first");
  showNoResult();
  source.mark([]);
  if (problems.length > 0) return say(`Not run: ${problems.join("; ")}.`);
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const before = source.text;
  byID("result").setAttribute("aria-busy", "true");
  say("Running …");
  try {
    const request = { file: file(), text: before, invocations: invocations(chain) };
    const answer = await server.run(byID("toolchain").value, request, signal);
    source.mark(answer.Findings ?? []);
    showResult({ file: file(), before, answer, chain }, show);
    say(summary(before, answer));
  } catch (problem) {
    if (signal.aborted) return; // a later run says how it ended
    failed(problem);
  }
  byID("result").removeAttribute("aria-busy");
}

function failed(problem) {
  if (!(problem instanceof server.Problem)) throw problem;
  if (problem.status === 401) return askForToken(problem.message);
  say(`Failed: ${problem.message}.`);
  source.mark(problem.findings);
  byID("view").hidden = problem.findings.length === 0;
  byID("view").replaceChildren(make("ul", { class: "findings" },
    ...problem.findings.map((f) => finding(f, show))));
}

function askForToken(text) {
  byID("login").hidden = false;
  byID("login-problem").textContent = text;
  byID("token").focus();
}

/** Asks the server what it has, and shows the first example. */
async function begin() {
  try {
    const about = await server.about();
    toolchains = about.Toolchains;
    byID("toolchain").replaceChildren(...toolchains.map((t) => make("option", { value: t.Segment }, t.Name)));
    const known = examples.filter((e) => formatNamed(e.toolchain));
    byID("example").replaceChildren(...known.map((e, i) => make("option", { value: i }, e.title)));
    byID("example").onchange = (event) => attempt(() => openExample(known[event.target.value]));
    byID("login").hidden = true;
    if (known.length > 0) await openExample(known[0]);
    else await useToolchain(toolchains[0].Segment);
    if (about.Workspace) await showWorkspace();
  } catch (problem) {
    failed(problem);
  }
}

/** Acts, and shows a problem with it. */
const attempt = async (act) => {
  try {
    await act();
  } catch (problem) {
    failed(problem);
  }
};

/** Opens a file that was chosen or dropped. */
const openFile = (chosen) => attempt(async () => open(await chosen.text(), chosen.name));

byID("run").addEventListener("click", run);
byID("look").addEventListener("click", showWorkspace);
byID("toolchain").addEventListener("change", (event) => attempt(() => useToolchain(event.target.value)));
byID("file").addEventListener("input", drawTexts);
byID("open").addEventListener("change", (event) => {
  if (event.target.files.length > 0) openFile(event.target.files[0]);
  event.target.value = ""; // the same file can be chosen once more
});
byID("login").addEventListener("submit", (event) => {
  event.preventDefault();
  server.useToken(byID("token").value.trim());
  begin();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
}, true);
for (const type of ["dragover", "drop"]) {
  byID("source").addEventListener(type, (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    if (type === "drop" && event.dataTransfer.files.length > 0) openFile(event.dataTransfer.files[0]);
  }, true);
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = byID(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      say("Copied.");
    } catch { // the browser allows it only on pages that it considers safe
      getSelection().selectAllChildren(text);
      say("Selected: copy it with the keyboard.");
    }
  });
}

begin();
