// The form of a step: a control for each parameter, by its type.
import { make } from "./dom.js";
import { problemOf } from "./chain.js";

let numbers = 0; // of controls

/** Makes the form of a step. changed is called after each change of a value. */
export function form(step, changed) {
  const fields = step.parameters.map((parameter, i) => {
    const repeated = step.signature.VarArgs && i === step.parameters.length - 1;
    return field(parameter, step.values[i], repeated, changed);
  });
  const where = make("input", {
    type: "text", value: step.where, spellcheck: "false", autocomplete: "off",
    placeholder: "ConfigHub.ResourceType = 'apps/v1/Deployment'",
    oninput: (event) => { step.where = event.target.value.trim(); changed(); },
  });
  return make("div", { class: "fields" }, ...fields,
    make("details", { open: step.where !== "" }, make("summary", {}, "Only some resources"),
      make("label", {}, "Where ", where)));
}

/** Makes the control of a parameter, or of each value of a repeated one. */
function field(parameter, values, repeated, changed) {
  const id = `field-${++numbers}`;
  const hint = [parameter.Description, parameter.Default && `default: ${parameter.Default}`,
    parameter.Example && `e.g. ${parameter.Example}`].filter(Boolean).join("; ");
  const box = make("div", { class: "field" });
  const draw = (focus) => {
    if (values.length === 0) values.push("");
    const controls = values.map((value, i) => {
      const problem = make("p", { class: "problem", id: `${id}-problem-${i}` });
      const element = control(parameter, value, {
        id: i === 0 ? id : null, name: parameter.ParameterName, required: parameter.Required && i === 0,
        "aria-describedby": `${id}-hint ${id}-problem-${i}`,
        "aria-label": i === 0 ? null : `${parameter.ParameterName}, value ${i + 1}`,
      });
      const check = () => {
        const text = element.value === "" ? "" : problemOf(parameter, element.value);
        problem.textContent = text;
        element.setAttribute("aria-invalid", text !== "");
      };
      element.addEventListener("input", () => { values[i] = element.value; check(); changed(); });
      check();
      return make("div", {}, element, problem);
    });
    box.replaceChildren(
      make("label", { for: id }, parameter.ParameterName,
        make("span", { class: "type" }, ` ${parameter.DataType}${parameter.Required ? ", required" : ""}`)),
      ...controls,
      repeated ? make("button", {
        type: "button", "aria-label": `Another value of ${parameter.ParameterName}`,
        onclick: () => { values.push(""); draw(true); },
      }, "Another value") : "",
      make("p", { class: "hint", id: `${id}-hint` }, hint));
    if (focus) controls.at(-1).querySelector("input, select, textarea").focus();
  };
  draw(false);
  return box;
}

/** Makes the input, the choice or the text area for one value. */
function control(parameter, value, attributes) {
  const choices = parameter.DataType === "bool" ? ["true", "false"] : parameter.EnumValues ?? [];
  if (choices.length > 0 && (value === "" || choices.includes(value))) {
    return make("select", attributes, ...["", ...choices].map((choice) =>
      make("option", { value: choice, selected: choice === value }, choice || "–")));
  }
  if (["string", "int", "enum", "bool"].includes(parameter.DataType)) {
    return make("input", {
      ...attributes, type: "text", value, autocomplete: "off", spellcheck: "false",
      inputmode: parameter.DataType === "int" ? "numeric" : null,
    });
  }
  const area = make("textarea", { ...attributes, rows: "4", spellcheck: "false" });
  area.value = value;
  return area;
}
