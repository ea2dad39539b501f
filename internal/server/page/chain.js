// The chain: steps with the words of their arguments, and the texts that fctl reads.

/** Makes a step of a function's signature. values has a list of words for each parameter. */
export function step(signature, words = []) {
  const parameters = signature.Parameters ?? [];
  const values = parameters.map(() => []);
  words.forEach((word, i) => values[Math.min(i, values.length - 1)]?.push(word));
  return { signature, parameters, values, where: "" };
}

/** Calls found with each argument that is given, in the order of the parameters. */
function given(step, found) {
  step.parameters.forEach((parameter, i) => {
    for (const word of step.values[i]) if (word !== "") found(parameter, word, i);
  });
}

/** Returns what is wrong with the word of a parameter, or "". The server checks everything else. */
export function problemOf(parameter, word) {
  if (word === "") return parameter.Required ? "a value is missing; text: is the empty text" : "";
  if (isExpression(word)) return "";
  if (word.startsWith("file:")) return "the page reads no files: use fctl do";
  if (parameter.DataType === "int") {
    if (!/^[+-]?\d+$/.test(word)) return "an integer is expected";
    if (parameter.Min != null && Number(word) < parameter.Min) return `${parameter.Min} is the least`;
    if (parameter.Max != null && Number(word) > parameter.Max) return `${parameter.Max} is the most`;
  }
  return "";
}

const isExpression = (word) => /^(template|cel):/.test(word);

/** Returns the chain as a request has it. Words mean what they do on the command line. */
export function invocations(chain) {
  return chain.map((step) => {
    const list = [];
    given(step, (parameter, word) => {
      const [, language, expression] = /^(template|cel):([^]*)$/.exec(word) ?? [];
      const argument = { ParameterName: parameter.ParameterName, Value: expression ?? word };
      if (language) argument.Evaluator = language;
      else argument.Value = word.replace(/^text:/, "");
      list.push(argument);
    });
    return {
      FunctionName: step.signature.FunctionName, Arguments: list,
      ...(step.where && { WhereResource: step.where }),
    };
  });
}

/** Returns a word as a POSIX shell reads it. */
export const quoted = (word) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Returns the command that runs the chain. toolchain is "" if the name of the file says it. */
export function command(chain, file, toolchain) {
  const flags = toolchain ? [`--toolchain=${toolchain}`] : [];
  if (file.startsWith("-")) file = `./${file}`;
  const words = ["fctl"];
  // A step with a filter of its own needs the file of the chain.
  if (chain.some((s) => s.where)) words.push("doseq", ...flags, file, "file:chain.yaml");
  else {
    words.push("do", ...flags, file);
    chain.forEach((step, n) => {
      if (n > 0) words.push("then");
      words.push(step.signature.FunctionName);
      let last = -1; // the parameter of the last word without a name
      let names = false;
      given(step, (parameter, word, i) => {
        names ||= i > last + 1 || word.startsWith("-") || word === "then";
        words.push(names ? `--${parameter.ParameterName}=${word}` : word);
        last = i;
      });
    });
  }
  return words.map(quoted).join(" ");
}

/** Returns the chain as fctl doseq and do --functions read it. */
export function chainFile(chain) {
  return chain.map((step) => {
    let text = `- function: ${step.signature.FunctionName}\n`;
    const byName = new Map();
    given(step, (parameter, word) => {
      byName.set(parameter.ParameterName, [...byName.get(parameter.ParameterName) ?? [], word]);
    });
    if (byName.size > 0) text += "  arguments:\n";
    for (const [name, words] of byName) {
      text += `    ${name}: ${words.length > 1 ? `[${words.map(scalar).join(", ")}]` : scalar(words[0])}\n`;
    }
    return text + (step.where ? `  where: ${scalar(step.where)}\n` : "");
  }).join("");
}

// A plain scalar of YAML that is certainly a text or an integer; others are written as JSON.
const scalar = (word) =>
  /^(?:0|[1-9]\d{0,8}|(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z][\w./-]*)$/i.test(word)
    ? word : JSON.stringify(word).replace(/[\x7f-\x9f]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
