// The editor of the configuration, and the view of a difference. Both are CodeMirror.
import {
  EditorState, EditorView, HighlightStyle, bracketMatching, defaultKeymap, drawSelection,
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

function extensions(file, label) {
  const language = /\.json[c5]?$/.test(file) ? json() : yaml();
  return [
    EditorView.cspNonce.of(nonce), lineNumbers(), syntaxHighlighting(style), language,
    EditorView.contentAttributes.of({ "aria-label": label }),
  ];
}

/** Makes an editor. changed is called after each change of the text. */
export function editor(parent, changed) {
  const state = (doc, file) => EditorState.create({
    doc,
    extensions: [
      ...extensions(file, "Configuration"), history(), drawSelection(), bracketMatching(),
      highlightActiveLine(), lintGutter(),
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
    ],
  });
  const view = new EditorView({ parent, state: state("", "") });
  return {
    get text() { return view.state.sliceDoc(); },
    /** Replaces the text by that of another file. */
    open(text, file) { view.setState(state(text, file)); },
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

/** Makes a view of a text that cannot be edited, with what has changed if before is given. */
export function reader(parent, file, label, text, before) {
  return new EditorView({
    parent, doc: text,
    extensions: [
      ...extensions(file, label), EditorState.readOnly.of(true), keymap.of(searchKeymap),
      before == null ? [] : unifiedMergeView({
        original: before, mergeControls: false, gutter: true, highlightChanges: true,
        collapseUnchanged: { margin: 3, minSize: 6 },
      }),
    ],
  });
}
