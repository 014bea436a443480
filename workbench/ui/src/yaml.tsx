// The YAML of the open file: follows the form, and is followed by it.
import { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { indentOnInput, bracketMatching, foldGutter, foldKeymap } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { undo, redo } from "@codemirror/commands";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Span } from "./api";
import { common, editing, readOnly, typedIn, wrapping } from "./codemirror";
import { complete, help } from "./language";
import { fixOf, lf, nearest, offset, position, range, replacement, sentence } from "./text";
import { onReveal, typed } from "./actions";
import { currentWork, now, update, useStore, type Work } from "./store";

const outside = Annotation.define<boolean>();
const markField = StateEffect.define<[number, number] | null>();

/** The part of the text that belongs to the field of the form that has the focus. */
const fieldMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    marks = marks.map(tr.changes);
    for (const e of tr.effects) {
      if (e.is(markField)) marks = e.value && e.value[0] < e.value[1] ? Decoration.set(Decoration.mark({ class: "cm-field" }).range(...e.value)) : Decoration.none;
    }
    return marks;
  },
  provide: (f) => EditorView.decorations.from(f),
});

const extensions = (path: string): Extension => [
  common("YAML of " + path),
  lineNumbers(),
  foldGutter(),
  wrapping,
  drawSelection(),
  highlightActiveLine(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  search({ top: true }),
  autocompletion({ override: [complete], icons: false }),
  help,
  lintGutter(),
  fieldMark,
  editing,
  keymap.of([...closeBracketsKeymap, ...searchKeymap.filter((k) => k.key !== "Mod-Alt-g"), ...foldKeymap, ...completionKeymap, ...lintKeymap]),
  EditorView.updateListener.of((u) => {
    const text = now().works[path]?.text;
    if (u.docChanged && text !== undefined && !u.transactions.some((t) => t.annotation(outside))) typed(path, typedIn(text, u.startState, u.changes, u.state));
    if (u.selectionSet && u.view.hasFocus) caretMoved(path, u.state);
  }),
];

/** Makes the tool and the field in which the caret stands the open ones. */
function caretMoved(path: string, state: EditorState): void {
  const work = now().works[path];
  if (!work || work.checked !== work.text || now().path !== path) return;
  const [line, column] = position(state.doc.toString(), state.selection.main.head);
  const tool = work.tools.filter((t) => t.summary.line <= line).at(-1);
  if (!tool) return;
  const field = nearest(tool.form.lines ?? {}, line, column);
  if (tool.form.index !== now().tool || field !== now().field) update({ tool: tool.form.index, field });
}

/** Undoes or does again the last change of the open file, also one made in the form. */
export const revert = (which: "undo" | "redo") => void (open && (which === "undo" ? undo : redo)(open));

let open: EditorView | null = null;

export function YamlEditor() {
  const path = useStore((s) => s.path);
  const work = useStore(currentWork);
  if (path === "") return <ConfigView />;
  if (!work) return <p class="empty">Open a tool to see its YAML.</p>;
  return <FileEditor key={work.path} work={work} />;
}

const kept = new Map<string, EditorState>(); // keeps the history of changes while other files are looked at

function FileEditor({ work }: { work: Work }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const { path } = work;

  useLayoutEffect(() => {
    const state = kept.get(path) ?? EditorState.create({ doc: work.text, extensions: extensions(path) });
    const v = new EditorView({ state, parent: box.current! });
    view.current = open = v;
    onReveal((target) => reveal(v, target));
    return () => {
      kept.set(path, v.state);
      v.destroy();
      if (open === v) open = null;
    };
  }, [path]);

  useLayoutEffect(() => {
    const v = view.current!;
    const changes = replacement(v.state.doc.toString(), lf(work.text));
    if (changes) v.dispatch({ changes, annotations: outside.of(true) });
  }, [work.text]);

  useEffect(() => {
    const v = view.current!;
    if (work.check && lf(work.checked ?? "") === v.state.doc.toString()) v.dispatch(setDiagnostics(v.state, marks(work)));
  }, [work.check]);

  return <div class="code" ref={box} />;
}

function marks(work: Work): Mark[] {
  const text = lf(work.text);
  return (work.check?.diagnostics ?? []).filter((d) => d.file === work.path).map((d) => {
    const [from, to] = range(text, d);
    const fix = fixOf(text, d);
    return {
      from,
      to,
      severity: d.severity === "note" ? "info" : d.severity,
      message: sentence(d),
      source: d.rule,
      actions: fix ? [{ name: fix.label, apply: (v) => v.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert } }) }] : [],
    };
  });
}

function reveal(v: EditorView, target: "tool" | "field" | { from: number; to: number }): void {
  const s = now();
  const work = currentWork(s);
  if (!work) return;
  const text = v.state.doc.toString();
  if (target === "tool") {
    const line = work.tools.find((t) => t.form.index === s.tool)?.summary.line;
    if (line) v.dispatch({ effects: EditorView.scrollIntoView(offset(text, line, 1), { y: "start", yMargin: v.defaultLineHeight + 4 }) });
    return;
  }
  if (target === "field") {
    const span: Span | undefined = work.tools.find((t) => t.form.index === s.tool)?.form.lines?.[s.field];
    const at: [number, number] | null = span && lf(work.checked ?? "") === text ? [offset(text, span[0], span[1]), offset(text, span[2], span[3])] : null;
    v.dispatch({ effects: [markField.of(at), ...(at ? [EditorView.scrollIntoView(at[0], { y: "nearest", yMargin: 60 })] : [])] });
    return;
  }
  const from = Math.min(target.from, text.length);
  v.dispatch({ selection: { anchor: from, head: Math.min(target.to, text.length) }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  v.focus();
}

/** tbridge.yaml as it is written, to look at. */
function ConfigView() {
  const box = useRef<HTMLDivElement>(null);
  const text = useStore((s) => s.catalogue?.config.text ?? "");
  useLayoutEffect(() => {
    const v = new EditorView({ state: EditorState.create({ doc: text, extensions: [common("tbridge.yaml, read only"), lineNumbers(), wrapping, readOnly] }), parent: box.current! });
    return () => v.destroy();
  }, [text]);
  return <div class="code" ref={box} />;
}
