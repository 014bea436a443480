// The state of the page: one immutable value, replaced by the actions, read by the components.
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { order } from "./text";
import type { Catalogue, Check, ToolCheck, ToolSummary, Diagnostic } from "./api";

/** A file under work: what is saved of it, and what stands in the page. */
export interface Work {
  path: string;
  saved: string;
  etag: string | null; // null: the file is not there yet
  text: string;
  check: Check | null;
  tools: ToolCheck[]; // those of the last check that could read the file
  checked: string | null; // the text that check is of
  disk: { text: string; etag: string | null } | null; // what an editor outside wrote meanwhile
}

export type PanelName = "problems" | "model" | "try" | "tests" | "history" | "export";
export type ViewName = "tools" | "form" | "yaml" | "panel";
export type Dialog =
  | { kind: "save" }
  | { kind: "conflict"; text: string; etag: string | null }
  | { kind: "add" }
  | { kind: "palette" }
  | { kind: "keys" }
  | { kind: "confirm"; title: string; text: string; action: string; danger?: boolean; run: () => void };

export interface State {
  catalogue: Catalogue | null;
  failure: { title: string; hint: string } | null; // the page cannot work at all
  online: boolean;
  works: Record<string, Work>;
  path: string | null; // the open file; "" is tbridge.yaml
  tool: number; // position of the open tool in its file; -1: none
  opening: boolean;
  field: string; // the key of the form in which the caret of the YAML stands
  panel: PanelName;
  panelOpen: boolean;
  view: ViewName; // on narrow screens
  dialog: Dialog | null;
  notice: { text: string; severity: "note" | "error" } | null;
  editErrors: Record<string, string>; // why a change of the form was refused, by key
  theme: "auto" | "light" | "dark";
}

let state: State = {
  catalogue: null,
  failure: null,
  online: true,
  works: {},
  path: null,
  tool: -1,
  opening: false,
  field: "",
  panel: "problems",
  panelOpen: true,
  view: "tools",
  dialog: null,
  notice: null,
  editErrors: {},
  theme: "auto",
};

const listeners = new Set<() => void>();

export const now = () => state;

export function update(patch: Partial<State>): void {
  state = { ...state, ...patch };
  for (const listener of [...listeners]) listener();
}

export function updateWork(path: string, patch: Partial<Work>): void {
  const work = state.works[path];
  if (work) update({ works: { ...state.works, [path]: { ...work, ...patch } } });
}

/** What pick makes of the state, kept up to date. */
export function useStore<T>(pick: (s: State) => T): T {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const value = pick(state);
  const last = useRef({ pick, value });
  last.current = { pick, value };
  useLayoutEffect(() => {
    const listener = () => {
      if (last.current.pick(state) !== last.current.value) redraw(undefined as never);
    };
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return value;
}

export const currentWork = (s: State): Work | null => (s.path ? (s.works[s.path] ?? null) : null);

export const currentTool = (s: State): ToolCheck | null => currentWork(s)?.tools.find((t) => t.form.index === s.tool) ?? null;

export const isChanged = (w: Work) => w.text !== w.saved || w.etag === null;

/** The summaries of all tools: of files under work as they stand in the page. */
export function allTools(s: State): ToolSummary[] {
  const checked = Object.values(s.works).filter((w) => w.check);
  const made: unknown[] = [s.catalogue, ...checked.map((w) => w.tools)];
  if (made.length === last.made.length && made.every((m, i) => m === last.made[i])) return last.tools;
  const live = new Set(checked.map((w) => w.path));
  const rest = (s.catalogue?.tools ?? []).filter((t) => !live.has(t.file));
  const tools = [...rest, ...checked.flatMap((w) => w.tools.map((t) => ({ ...t.summary, file: w.path })))];
  if (checked.length > 0) tools.sort((a, b) => order(a.file, b.file) || a.line - b.line);
  last = { made, tools };
  return tools;
}

let last: { made: unknown[]; tools: ToolSummary[] } = { made: [], tools: [] }; // so that typing does not sort thousands of tools anew

/** All problems, of files under work as they stand in the page. */
export function allDiagnostics(s: State): Diagnostic[] {
  const works = s.works;
  const rest = (s.catalogue?.diagnostics ?? []).filter((d) => !works[d.file]?.check);
  const live = Object.values(works).flatMap((w) => w.check?.diagnostics ?? []);
  return [...live, ...rest];
}
