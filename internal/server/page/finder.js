// The list of functions, and what of it the words of a search leave.
import { byID, make } from "./dom.js";

/** Returns the kind of a function in one word. */
export function kind(signature) {
  if (signature.Validating) return "validates";
  return signature.Mutating ? "changes" : "reads";
}

/** Shows the functions in which all words occur; choose is called with the one that is chosen. */
export function finder(choose) {
  let all = [];
  const input = byID("find"), list = byID("found");
  const draw = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (s) => `${s.FunctionName} ${s.Description} ${s.AttributeName ?? ""} ${kind(s)}`.toLowerCase();
    const rank = (s) => s.FunctionName === words.join("-") ? 0 : words.every((w) => s.FunctionName.includes(w)) ? 1 : 2;
    const found = all.filter((s) => words.every((w) => text(s).includes(w))).sort((a, b) => rank(a) - rank(b));
    byID("count").textContent = `${found.length} of ${all.length} functions`;
    list.replaceChildren(...found.map((s) => make("li", {}, make("button", {
      type: "button", onclick: () => choose(s),
    }, make("span", { class: "name" }, s.FunctionName), make("span", { class: `kind ${kind(s)}` }, kind(s)),
    make("span", { class: "hint" }, s.Description)))));
  };
  input.addEventListener("input", draw);
  const move = (event) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (next == null) return;
    event.preventDefault();
    (next < 0 ? input : buttons[Math.min(next, buttons.length - 1)])?.focus();
  };
  byID("finder").addEventListener("keydown", move);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (input.value.trim() !== "") list.querySelector("button")?.click();
    }
  });
  return (signatures) => {
    all = Object.values(signatures).filter((s) => !s.Deprecated)
      .sort((a, b) => a.FunctionName < b.FunctionName ? -1 : 1);
    draw();
  };
}
