// The editor of the configuration, and the view of a difference. Both are CodeMirror.
import {
  Compartment, EditorState, EditorView, HighlightStyle, Text, bracketMatching, defaultKeymap, drawSelection,
  highlightActiveLine, history, historyKeymap, json, keymap, lineNumbers, lintGutter, searchKeymap,
  setDiagnostics, syntaxHighlighting, tags, unifiedMergeView, yaml,
} from "./codemirror/codemirror.js";

const nonce = document.querySelector("meta[name=csp-nonce]").content;

// Colours are variables of the style sheet, which has them for dark and light.
const style = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--comment)", fontStyle: "italic" },
]);

const languageOf = (file) => /\.json[c5]?$/.test(file) ? json() : yaml();

// The line breaks of a text: all others are characters of a line, so that no byte changes.
const separator = (text) => /\r\n/.test(text) && !/[^\r]\n|^\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";

/** Makes an editor. changed is called after each change by the user. */
export function editor(parent, changed) {
  const language = new Compartment(), breaks = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce), lineNumbers(), syntaxHighlighting(style),
        language.of([]), breaks.of(EditorState.lineSeparator.of("\n")),
        EditorView.contentAttributes.of({ "aria-label": "Configuration" }),
        history(), drawSelection(), bracketMatching(), highlightActiveLine(), lintGutter(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.transactions.some((t) => t.docChanged && t.isUserEvent("open") === false)) changed();
        }),
      ],
    }),
  });
  return {
    get text() { return view.state.sliceDoc(); },
    /** Replaces the text by that of another file. Undo brings it back. */
    open(text, file) {
      view.dispatch({
        effects: [
          language.reconfigure(languageOf(file)),
          breaks.reconfigure(EditorState.lineSeparator.of(separator(text))),
        ],
      });
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) },
        selection: { anchor: 0 }, userEvent: "open", scrollIntoView: true,
      });
    },
    /** Shows findings at their lines. Columns count characters. */
    mark(findings) {
      const doc = view.state.doc;
      view.dispatch(setDiagnostics(view.state, findings.filter((f) => f.Line > 0).map((f) => {
        const line = doc.line(Math.min(f.Line, doc.lines));
        const before = [...line.text].slice(0, Math.max(0, f.Column - 1)).join("").length;
        const word = /^(?:"[^"]*"|'[^']*'|[^\s:,\]}]+)/.exec(line.text.slice(before))?.[0] ?? "";
        const from = line.from + before;
        return {
          from, to: from + word.length, severity: f.Level === "note" ? "info" : f.Level,
          source: f.Function, message: f.Message,
        };
      })));
    },
    /** Moves the cursor to a line and shows it. */
    show(number) {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
      view.dispatch({
        selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }),
      });
      view.focus();
    },
  };
}

/** Makes a read-only view of a text. If before is given, it marks the changes since then. */
export function reader(parent, file, label, text, before) {
  return new EditorView({
    parent, doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce), lineNumbers(), syntaxHighlighting(style), languageOf(file),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorState.lineSeparator.of(separator(text)), EditorState.readOnly.of(true), keymap.of(searchKeymap),
      before == null ? [] : unifiedMergeView({
        original: Text.of(before.split(separator(before))), mergeControls: false, gutter: true, highlightChanges: true,
        collapseUnchanged: { margin: 3, minSize: 6 },
      }),
    ],
  });
}
