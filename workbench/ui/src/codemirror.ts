// CodeMirror as all editors of the page have it: colours from the style sheet, styles under the policy's nonce.
import { history, historyKeymap, defaultKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, RangeSetBuilder, type ChangeSet, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, keymap, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { follow, lf } from "./text";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--field)", fontSize: "var(--code-size)", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "var(--match)" },
  ".cm-searchMatch.cm-searchMatch-selected": { backgroundColor: "var(--selection)", outline: "1px solid var(--accent)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--match)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--border)", borderRadius: "6px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionInfo": { maxWidth: "24em", padding: "6px 8px" },
  ".cm-completionDetail": { color: "inherit", marginLeft: "1em" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--border)" },
  ".cm-panel.cm-search": { padding: "6px 32px 6px 8px", fontFamily: "system-ui, sans-serif", display: "flex", flexWrap: "wrap", gap: "4px", alignItems: "center" },
  ".cm-panel.cm-search br": { flexBasis: "100%", content: '""' },
  ".cm-panel.cm-search label": { fontSize: "12px", display: "inline-flex", alignItems: "center", gap: "4px", minHeight: "24px", margin: "0 8px 0 0" },
  ".cm-panel.cm-search .cm-textfield": { width: "14em", margin: "0", fontSize: "12.5px" },
  ".cm-panel.cm-search input[type=checkbox]": { margin: "0 0 0 4px" },
  ".cm-panel.cm-search .cm-button": { margin: "0", fontSize: "12px", minHeight: "24px", padding: "1px 8px", textTransform: "capitalize" },
  ".cm-panel.cm-search [name=close]": { top: "6px", right: "6px", width: "26px", height: "26px", minHeight: "26px", justifyContent: "center", color: "var(--faint)", fontSize: "16px" },
  ".cm-textfield": { backgroundColor: "var(--field)", border: "1px solid var(--control)", borderRadius: "4px", color: "var(--text)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--button)", border: "1px solid var(--control)", borderRadius: "4px", color: "var(--text)" },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-diagnostic": { padding: "5px 8px" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "4px", padding: "3px 8px", font: "inherit", fontSize: "12px" },
  ".cm-diagnosticSource": { fontSize: "11px", opacity: "1", color: "var(--faint)", fontFamily: "var(--mono)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--note)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--error) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warning) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--note) 1px", textUnderlineOffset: "3px" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0", display: "grid", placeItems: "center" },
  ".cm-lint-marker": { content: "normal", width: "9px", height: "9px", borderRadius: "50%" },
  ".cm-lint-marker-error": { backgroundColor: "var(--error)" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--warning)", clipPath: "polygon(50% 0, 100% 100%, 0 100%)", borderRadius: "0" },
  ".cm-lint-marker-info": { border: "1.5px solid var(--note)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--button)", borderColor: "var(--control)", color: "var(--faint)", padding: "0 4px" },
  ".cm-foldGutter span": { color: "var(--faint)" },
  ".cm-field": { backgroundColor: "var(--match)", borderRadius: "2px" },
  ".cm-changedLine": { backgroundColor: "var(--added) !important" },
  ".cm-changedText": { background: "var(--added-text) !important" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed) !important" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "var(--removed-text) !important" },
  ".cm-deletedChunk button": { color: "var(--text) !important", margin: "1px 2px !important", fontSize: "12px" },
  ".cm-deletedChunk .cm-chunkButtons": { position: "static !important", padding: "3px 0", fontFamily: "system-ui, sans-serif" },
  ".cm-collapsedLines": { background: "var(--line) !important", color: "var(--faint) !important", fontSize: "12px" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"···" !important' },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--error) !important" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--ok) !important" },
  ...Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`.cm-hang-${n}`, { textIndent: `-${n}ch`, paddingLeft: `calc(${n}ch + 6px)` }])),
});

/** What goes on in the next row of the window stands below the text of its line, not below its indentation. */
const hanging = ViewPlugin.fromClass(class {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = hung(view);
  }
  update(u: ViewUpdate) {
    if (u.docChanged || u.viewportChanged) this.decorations = hung(u.view);
  }
}, { decorations: (v) => v.decorations });

function hung(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const indent = /^ *(?:- +)*/.exec(line.text)![0].length;
      found.add(line.from, line.from, Decoration.line({ class: "cm-hang-" + Math.min(indent + 2, 24) }));
      at = line.to + 1;
    }
  }
  return found.finish();
}

/** Long lines go on in the next row. */
export const wrapping: Extension = [EditorView.lineWrapping, hanging];

/** The text of a file after changes in an editor of it, whatever ends its lines. */
export function typedIn(text: string, before: EditorState, changes: ChangeSet, after: EditorState): string {
  if (!text.includes("\r")) return after.doc.toString();
  const made: { from: number; to: number; insert: string }[] = [];
  changes.iterChanges((from, to, _f, _t, insert) => made.push({ from, to, insert: insert.toString() }));
  return lf(text) === before.doc.toString() ? follow(text, made) : follow(text, [{ from: 0, to: lf(text).length, insert: after.doc.toString() }]);
}

const colours = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: [tags.lineComment, tags.comment], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.labelName, tags.typeName, tags.keyword, tags.meta], color: "var(--anchor)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--faint)" },
]);

/** What every editor has; label is its accessible name. */
export const common = (label: string): Extension => [
  EditorView.cspNonce.of(nonce),
  theme,
  syntaxHighlighting(colours),
  yaml(),
  EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
];

/** What an editor of text has besides. */
export const editing: Extension = [history(), keymap.of([...defaultKeymap.filter((k) => k.key !== "Mod-Enter"), ...historyKeymap])];

export const readOnly: Extension = [EditorState.readOnly.of(true)];
