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
let signatures = {}; // the functions of the format, by name
let format = ""; // its segment
let chain = [];
const chains = {}; // of the formats that were left, by segment
let touched = false; // something would be lost
let choices = 0; // of formats
let running = null; // ends the run in work

const source = editor(byID("editor"), () => { touched = true; source.mark([]); outdate(); });
const show = (line) => source.show(line);
const showFunctions = finder((signature) => add(step(signature)));

const file = () => byID("file").value.trim() || formatNamed(format)?.Example || "";
const formatNamed = (segment) => toolchains.find((t) => t.Segment === segment);

/** Returns the format that a file has by its name. */
function formatOf(name) {
  const base = name.replace(/^.*\//, ""), extension = /\.[^.]*$/.exec(base)?.[0].toLowerCase();
  const fits = (pattern) => pattern === extension ||
    pattern.endsWith("*") && base.startsWith(pattern.slice(0, -1));
  return toolchains.find((t) => t.Files.some(fits))?.Segment;
}

/** Uses a format. Its chain is the one that it had, or what of the present one it has functions for.
 * Returns false if another format was chosen in the meantime. */
async function useFormat(segment) {
  const number = ++choices;
  byID("run").disabled = true; // the chain may be that of another format
  try {
    const found = segment === format ? signatures : await server.signatures(segment);
    if (number !== choices) return false;
    if (segment !== format) {
      chains[format] = chain;
      chain = chains[segment] ?? chain.flatMap((s) => {
        const signature = found[s.signature.FunctionName];
        return signature ? [{ ...step(signature), values: s.values, where: s.where }] : [];
      });
    }
    signatures = found;
    format = segment;
  } finally {
    if (number === choices) {
      byID("toolchain").value = format;
      byID("run").disabled = false;
    }
  }
  clearResult();
  showFunctions(signatures);
  drawChain();
  return true;
}

/** Opens a text. words has the chain that belongs to it, if there is one. */
async function open(text, name, segment, words) {
  if (!await useFormat(segment ?? formatOf(name) ?? format)) return;
  byID("file").value = name;
  source.open(text, name);
  if (words) {
    chain = words.filter(([function_]) => signatures[function_])
      .map(([function_, ...rest]) => step(signatures[function_], rest));
  }
  clearResult();
  drawChain();
}

/** Forgets the result, and ends a run in work: it is about something else. */
function clearResult() {
  running?.abort();
  byID("result").removeAttribute("aria-busy");
  byID("result").classList.remove("fresh", "old");
  source.mark([]);
  showNoResult();
  say("Nothing has run yet.");
}

/** Says that a result is about what was there before. */
function outdate() {
  if (!byID("result").classList.contains("fresh")) return;
  byID("result").classList.replace("fresh", "old");
  say("Changed since the last run, whose result is below.");
}

const openExample = (e) => open(e.text, e.file, e.toolchain, e.chain);

function add(newStep) {
  touched = true;
  chain.push(newStep);
  drawChain();
  say(`Added ${newStep.signature.FunctionName}.`);
  const last = byID("chain").lastElementChild;
  (last.querySelector(".field :is(input, select, textarea)") ?? last.querySelector("summary")).focus();
}

/** Moves a step, or removes it without a place to go to. The focus stays with what was used. */
function move(from, to, label) {
  touched = true;
  const [moved] = chain.splice(from, 1);
  if (to != null) chain.splice(to, 0, moved);
  drawChain();
  const name = moved.signature.FunctionName;
  say(to == null ? `Removed ${name}.` : `${name} is step ${to + 1} of ${chain.length}.`);
  const near = byID("chain").children[Math.min(to ?? from, chain.length - 1)];
  (near?.querySelector(`[title="${label}"]:enabled`) ?? near?.querySelector("button:enabled") ?? byID("find")).focus();
}

function drawChain() {
  byID("empty").hidden = chain.length > 0;
  byID("chain").replaceChildren(...chain.map((s, i) => {
    const name = s.signature.FunctionName;
    const button = (label, text, to) => make("button", {
      type: "button", title: label, "aria-label": `${label}: ${name}`, disabled: to < 0 || to === chain.length,
      onclick: () => move(i, to, label),
    }, text);
    return make("li", { class: "step" },
      make("div", { class: "bar" }, make("h3", {}, name),
        make("span", { class: `kind ${kind(s.signature)}` }, kind(s.signature)),
        button("Move up", "↑", i - 1), button("Move down", "↓", i + 1), button("Remove", "✕")),
      make("p", { class: "hint" }, s.signature.Description),
      form(s, () => { touched = true; drawTexts(); outdate(); }));
  }));
  drawTexts();
  outdate();
}

/** Shows the chain as text. */
function drawTexts() {
  byID("command").textContent = chain.length === 0 ? "" :
    command(chain, file(), formatOf(file()) === format ? "" : formatNamed(format).Name);
  byID("chain-file").textContent = chainFile(chain);
}

const say = (text) => { byID("status").textContent = text; };

/** Says what is wrong with values, and goes to the first one. */
function mistakes() {
  const found = chain.flatMap((s, n) => s.parameters.flatMap((p, i) =>
    (s.values[i].length > 0 ? s.values[i] : [""]).map((word) => ({ n, p, text: problemOf(p, word) }))))
    .filter((m) => m.text);
  found.forEach(({ n, p }, i) => {
    const control = byID("chain").children[n].querySelector(`[name="${p.ParameterName}"]`);
    control.setAttribute("aria-invalid", "true");
    if (i === 0) control.focus();
  });
  return found.map(({ n, p, text }) => `${chain[n].signature.FunctionName}, ${p.ParameterName}: ${text}`);
}

async function run() {
  if (byID("run").disabled) return;
  clearResult();
  const problems = chain.length === 0 ? ["add a function first"] : mistakes();
  if (problems.length > 0) return say(`Not run: ${problems.join("; ")}.`);
  running = new AbortController();
  const { signal } = running;
  const sent = {
    file: file(), text: source.text, invocations: invocations(chain),
    functions: chain.map((s) => s.signature.FunctionName),
  };
  byID("result").setAttribute("aria-busy", "true");
  say("Running …");
  try {
    const answer = await server.run(format, sent, signal);
    if (signal.aborted) return;
    source.mark(answer.Findings ?? []);
    showResult(sent, answer, show);
    byID("result").classList.add("fresh");
    say(summary(sent.text, answer));
  } catch (problem) {
    if (signal.aborted) return; // what came later says how it ended
    failed(problem);
  }
  byID("result").removeAttribute("aria-busy");
}

/** Shows why something did not succeed. */
function failed(problem) {
  say(`Failed: ${problem.message}.`);
  if (!(problem instanceof server.Problem)) return;
  if (problem.status === 401) return askForToken(problem.message);
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
  const about = await server.about();
  toolchains = about.Toolchains;
  byID("toolchain").replaceChildren(...toolchains.map((t) => make("option", { value: t.Segment }, t.Name)));
  const known = examples.filter((e) => formatNamed(e.toolchain));
  byID("example").replaceChildren(make("option", { value: "" }, "Choose …"),
    ...known.map((e, i) => make("option", { value: i }, e.title)));
  byID("example").onchange = ({ target }) => attempt(async () => {
    const chosen = known[target.value];
    target.value = "";
    if (!chosen || touched && !confirm("Replace the configuration and the chain by the example?")) return;
    await openExample(chosen);
    touched = false;
  });
  if (known.length > 0) await openExample(known[0]);
  else await useFormat(toolchains[0].Segment);
  if (about.Workspace) await showWorkspace();
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
const openFile = (chosen) => attempt(async () => {
  const bytes = await chosen.arrayBuffer().catch(() => {
    throw new Error(`${chosen.name} cannot be read; is it a directory?`);
  });
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${chosen.name} is not text in UTF-8`);
  }
  await open(text, chosen.name);
  touched = true;
});

byID("run").addEventListener("click", run);
byID("look").addEventListener("click", showWorkspace);
byID("toolchain").addEventListener("change", (event) => attempt(() => useFormat(event.target.value)));
byID("file").addEventListener("input", drawTexts);
byID("open").addEventListener("change", (event) => {
  if (event.target.files.length > 0) openFile(event.target.files[0]);
  event.target.value = ""; // the same file can be chosen once more
});
byID("login").addEventListener("submit", (event) => {
  event.preventDefault();
  server.useToken(byID("token").value.trim());
  byID("login-problem").textContent = "";
  attempt(async () => {
    if (toolchains.length === 0) await begin();
    else await server.about(); // is the token right?
    byID("login").hidden = true;
    if (toolchains.length > 0 && byID("status").textContent.startsWith("Failed")) say("The token is right: run once more.");
  });
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
    if (type !== "drop" || event.dataTransfer.files.length === 0) return;
    if (event.dataTransfer.files.length > 1) say("Drop one file at a time.");
    else openFile(event.dataTransfer.files[0]);
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

attempt(begin);
