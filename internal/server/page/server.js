// What the page asks the server.

let token = sessionStorage.getItem("token") ?? "";

/** A problem that the server answers with, see RFC 9457. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? `the server answers with status ${status}`);
    this.status = status;
    this.findings = body.findings ?? [];
  }
}

/** Uses a token in all requests that follow. */
export function useToken(text) {
  token = text;
  sessionStorage.setItem("token", text);
}

async function ask(path, options = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch {
    throw new Problem(0, { detail: "the server does not answer" });
  }
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})));
  return response;
}

/** Returns what the server has: {Toolchains: [{Segment, Name, Files, Example}], Workspace}. */
export const about = async () => (await ask("about")).json();

/** Returns the signatures of the functions for a format, by name. */
export const signatures = async (segment) => (await ask(`function/${segment}`)).json();

/** Runs a chain: {file, text, invocations}. The unit is named as fctl names it. Returns the answer, with the text after the chain. */
export async function run(segment, { file, text, invocations }, signal) {
  const response = await ask(`function/${segment}`, {
    method: "POST", signal,
    body: JSON.stringify({
      UnitSlug: file.replace(/([^/])\.[^./]*$/, "$1").toLowerCase(), FileName: file, ConfigData: toBase64(text),
      FunctionInvocations: invocations, RecordFindings: true,
    }),
  });
  const answer = await response.json();
  answer.text = answer.ConfigData == null ? text : fromBase64(answer.ConfigData);
  answer.outputs = Object.entries(answer.Outputs ?? {})
    .map(([type, value]) => ({ type, value: JSON.parse(fromBase64(value)) }));
  return answer;
}

/** Returns the picture of the links of the workspace as a blob. */
export const graph = async () => (await ask("workspace/graph")).blob();

/** Returns what the links of the workspace would change, as a text. */
export const plan = async () => (await ask("workspace/plan")).text();

function toBase64(text) {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary);
}

function fromBase64(text) {
  return new TextDecoder("utf-8", { ignoreBOM: true })
    .decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
}
