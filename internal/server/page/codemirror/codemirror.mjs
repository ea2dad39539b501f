// What the page uses of CodeMirror; make editor bundles it into codemirror.js.
export { Compartment, EditorState, Text } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, highlightActiveLine, drawSelection } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { HighlightStyle, syntaxHighlighting, bracketMatching } from "@codemirror/language";
export { yaml } from "@codemirror/lang-yaml";
export { json } from "@codemirror/lang-json";
export { setDiagnostics, lintGutter } from "@codemirror/lint";
export { searchKeymap } from "@codemirror/search";
export { unifiedMergeView } from "@codemirror/merge";
export { tags } from "@lezer/highlight";
