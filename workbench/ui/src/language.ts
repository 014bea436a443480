// Completion and help for the keys of the language, from what the catalogue says of them.
import { type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView } from "@codemirror/view";
import type { EditorState } from "@codemirror/state";
import type { LanguageKey } from "./api";
import { currentTool, now } from "./store";

/** Which kind of mapping a place in a tools file is in: file, tool, argument, response, the name of another key, or "". */
export function whereabouts(state: EditorState, at: number): string {
  const line = state.doc.lineAt(at);
  const flow = openFlow(line.text.slice(0, at - line.from));
  let indent = column(line.text) ?? at - line.from;
  if (flow !== null && flow.key) return kind(flow.key);
  if (flow !== null && !/^\s*- /.test(line.text)) indent++;
  for (let n = line.number - 1, list = flow !== null || /^\s*- /.test(line.text); n > 0; n--) {
    const text = state.doc.line(n).text;
    const c = column(text);
    if (c === null || c > indent || (c === indent && !(list && /^\s*[\w-]+\??:\s*$/.test(text) && !/^\s*- /.test(text)))) continue;
    const dash = /^(\s*)- /.exec(text);
    if (dash && c < indent && indent <= dash[0].length) {
      indent = dash[1]!.length; // a key of this element: what list is it in?
      list = true;
      continue;
    }
    const key = /^\s*(?:- )?(?:&\w+ )?([\w-]+)\??:/.exec(text);
    if (key) return kind(key[1]!);
  }
  return "file";
}

const column = (text: string) => {
  const found = /^(\s*)(?:- )?\S?/.exec(text)!;
  return /^\s*(#|$)/.test(text) ? null : found[1]!.length;
};

/** The key before the last bracket that is open in a line. */
function openFlow(text: string): { key: string } | null {
  const open: string[] = [];
  for (const m of text.matchAll(/(?:([\w-]+)\??:\s*)?([{[])|[}\]]|"(?:[^"\\]|\\.)*"/g)) {
    if (m[2]) open.push(m[1] ?? "");
    else if (m[0] === "}" || m[0] === "]") open.pop();
  }
  if (open.length === 0) return null;
  return { key: open.findLast((k) => k !== "") ?? "" };
}

function kind(key: string): string {
  switch (key) {
    case "tools":
      return "tool";
    case "arguments":
    case "properties":
    case "items":
    case "output":
      return "argument";
    case "response":
      return "response";
  }
  return key;
}

const keysOf = (where: string): LanguageKey[] => (now().catalogue?.keys ?? []).filter((k) => k.where === where || (where === "file" && k.where === "tool" && fromHead(k.key)));

const fromHead = (key: string) => !["name", "title", "description", "arguments", "tests"].includes(key);

export function complete(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const head = line.text.slice(0, context.pos - line.from);
  if (/(^|\s)#/.test(head)) return null;
  const hole = /\{\+?(\w*)$/.exec(head);
  const quotedOrPath = /["']|\b(path|text|each|error_text):/.test(head);
  if (hole && quotedOrPath) {
    const names = (currentTool(now())?.form.arguments ?? []).map((a) => a.name);
    return options(names.map((name) => ({ label: name, type: "variable" })), context.pos - hole[1]!.length);
  }
  const value = /(?:^|[\s{,-])([\w-]+):\s+(\w*)$/.exec(head);
  if (value) return options(valuesOf(whereabouts(context.state, context.pos), value[1]!), context.pos - value[2]!.length);
  const key = /(?:^\s*(?:- )?|[{,]\s*)([\w-]*)$/.exec(head);
  if (!key || (key[1] === "" && !context.explicit)) return null;
  const keys = keysOf(whereabouts(context.state, context.pos));
  return options(keys.map((k) => ({ label: k.key, type: "property", info: k.about, apply: k.key + ": " })), context.pos - key[1]!.length);
}

const options = (found: Completion[], from: number): CompletionResult | null =>
  found.length === 0 ? null : { from, options: found, validFor: /^[\w-]*$/ };

function valuesOf(where: string, key: string): Completion[] {
  if (key === "api") return (now().catalogue?.apis ?? []).map((a) => ({ label: a.name, detail: a.base_url, type: "constant" }));
  const found = keysOf(where).find((k) => k.key === key);
  return (found?.values ?? []).map((label) => ({ label, type: "constant" }));
}

export const help = hoverTooltip((view: EditorView, pos: number) => {
  const line = view.state.doc.lineAt(pos);
  for (const m of line.text.matchAll(/([\w-]+)\??:(?=\s|$)/g)) {
    const from = line.from + m.index;
    if (pos < from || pos > from + m[1]!.length) continue;
    const about = keysOf(whereabouts(view.state, from)).find((k) => k.key === m[1]);
    if (!about) return null;
    return { pos: from, end: from + m[1]!.length, above: true, create: () => ({ dom: helpBox(about) }) };
  }
  return null;
});

function helpBox(k: LanguageKey): HTMLElement {
  const box = document.createElement("div");
  box.className = "help";
  const name = document.createElement("b");
  name.textContent = k.key;
  box.append(name, " ", k.about);
  if (k.values?.length) box.append(" One of: " + k.values.join(", ") + ".");
  return box;
}

