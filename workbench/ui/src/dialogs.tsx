// The dialogs: saving, conflicts, adding a tool, the palette, the keys.
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type ApiError, type Json } from "./api";
import {
  beginSave, deleteFile, deleteTool, discard, duplicateTool, edit, focusField, newFile, openFile, openTool, replaceText, resolveConflict, save, selectByName, setTheme, showPanel,
} from "./actions";
import { common, editing, readOnly, typedIn, wrapping } from "./codemirror";
import { Hunks, Modal, useRequest } from "./parts";
import { allTools, currentTool, currentWork, now, update, useStore, type Dialog } from "./store";
import { templates } from "./templates";
import { plural, sentence } from "./text";
import { runTry } from "./try";
import { revert } from "./yaml";

const close = () => update({ dialog: null });

export function Dialogs() {
  const dialog = useStore((s) => s.dialog);
  switch (dialog?.kind) {
    case "save":
      return <SaveDialog />;
    case "conflict":
      return <ConflictDialog theirs={dialog.text} etag={dialog.etag} />;
    case "add":
      return <AddDialog />;
    case "palette":
      return <Palette />;
    case "keys":
      return <KeysDialog />;
    case "confirm":
      return <ConfirmDialog d={dialog} />;
  }
  return null;
}

function ConfirmDialog({ d }: { d: Extract<Dialog, { kind: "confirm" }> }) {
  return (
    <Modal title={d.title} close={close}>
      <p>{d.text}</p>
      <footer>
        <button type="button" onClick={close} data-first>Cancel</button>
        <button type="button" class={d.danger ? "danger" : "primary"} onClick={() => { close(); d.run(); }}>{d.action}</button>
      </footer>
    </Modal>
  );
}

function SaveDialog() {
  const work = useStore(currentWork)!;
  const [refused, setRefused] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const diff = useRequest([work.path, work.text], 0, () => api.diff({ path: work.path, text: work.text }));
  const errors = (work.check?.diagnostics ?? []).filter((d) => d.severity === "error" && d.file === work.path);
  const write = async () => {
    setBusy(true);
    setRefused(await save());
    setBusy(false);
  };
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key === "s" && !busy) void write();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  const hunks = diff.value?.hunks ?? [];
  return (
    <Modal title={`Save ${work.path}`} close={close} wide>
      <p class="faint" role="status">
        {diff.error ? diff.error.message : !diff.value ? "Comparing…" : hunks.length === 0 ? "The file is as it stands here already." : `${plural(diff.value.added, "line")} added, ${plural(diff.value.removed, "line")} removed. Nothing else in the file changes.`}
      </p>
      {hunks.length > 0 && <Hunks hunks={hunks} />}
      {errors.length > 0 && (
        <div class="message error" role="alert">
          <p>{plural(errors.length, "error")} in the file: what does not validate is not saved. The draft stays in this browser.</p>
          <ul>{errors.slice(0, 5).map((d) => <li>line {d.line}: {d.message}</li>)}</ul>
        </div>
      )}
      {refused && <p class="message error" role="alert">{sentence(refused)}</p>}
      <footer>
        <button type="button" onClick={() => discard(work.path)}>Discard the draft…</button>
        <span class="space" />
        <button type="button" onClick={close} data-first={errors.length > 0 || undefined}>Back</button>
        <button type="button" class="primary" disabled={busy || errors.length > 0} data-first={errors.length === 0 || undefined} onClick={() => void write()}>{busy ? "Saving…" : "Save"}</button>
      </footer>
    </Modal>
  );
}

/** A button of a comparison, which listens for the mouse alone: a click made by a key has no detail. */
function mergeButton(text: string, label: string, pressed?: (e: MouseEvent) => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.title = label;
  if (/^\P{L}+$/u.test(text)) button.setAttribute("aria-label", label);
  if (pressed) button.onmousedown = pressed;
  button.onclick = (e) => {
    if (e.detail === 0) button.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  };
  return button;
}

const takeTheirs = "Take this part from the disk";
const collapseUnchanged = { margin: 3, minSize: 6 };

/** Both versions, side by side or, where there is no room, one below the other; changed hears what becomes of ours. */
function compare(parent: HTMLElement, narrow: boolean, theirs: string, ours: string, changed: (text: string) => void): { destroy(): void } {
  let text = ours;
  const mine = [
    common("Your version"), lineNumbers(), editing,
    EditorView.updateListener.of((u) => u.docChanged && changed((text = typedIn(text, u.startState, u.changes, u.state)))),
  ];
  if (narrow) {
    const mergeControls = (kind: "accept" | "reject", act: (e: MouseEvent) => void) =>
      kind === "accept" ? mergeButton("Keep mine", "Keep this part as it is here", act) : mergeButton("Take the disk’s", takeTheirs, act);
    const state = EditorState.create({ doc: ours, extensions: [mine, wrapping, unifiedMergeView({ original: theirs, mergeControls, collapseUnchanged })] });
    return new EditorView({ parent, state });
  }
  return new MergeView({
    parent,
    a: { doc: theirs, extensions: [common("The file on disk"), lineNumbers(), wrapping, readOnly] },
    b: { doc: ours, extensions: [mine, wrapping] },
    revertControls: "a-to-b",
    renderRevertControl: () => mergeButton("→", takeTheirs),
    collapseUnchanged,
  });
}

function ConflictDialog({ theirs, etag }: { theirs: string; etag: string | null }) {
  const work = useStore(currentWork)!;
  const box = useRef<HTMLDivElement>(null);
  const made = useRef(work.text);
  const narrow = useMemo(() => matchMedia("(max-width: 820px)").matches, []);
  useLayoutEffect(() => {
    const v = compare(box.current!, narrow, theirs, work.text, (text) => (made.current = text));
    return () => v.destroy();
  }, []);
  const end = (text: string) => resolveConflict(text, { text: theirs, etag });
  return (
    <Modal title={`${work.path} was changed on disk`} close={close} wide class="conflict">
      <p>
        {etag === null ? "Somebody deleted the file since it was opened here." : "Somebody else wrote the file since it was opened here."} Nothing is overwritten: choose a version, or make one of both{narrow ? " below" : " on the right"}.
      </p>
      {narrow ? <p class="sides"><span class="removed">on disk</span> <span class="added">yours</span></p> : <div class="sides" aria-hidden="true"><span>On disk{etag === null ? " (deleted)" : ""}</span><span>Yours</span></div>}
      <div class="merge" ref={box} />
      <footer>
        <button type="button" onClick={close}>Decide later</button>
        <span class="space" />
        <button type="button" onClick={() => end(theirs)} disabled={etag === null}>Take the one on disk</button>
        <button type="button" class="primary" data-first onClick={() => end(made.current)}>{narrow ? "Go on with yours" : "Go on with the right side"}</button>
      </footer>
    </Modal>
  );
}

const fileName = /^[a-z0-9][a-z0-9._-]{0,63}\.ya?ml$/;

function AddDialog() {
  const catalogue = useStore((s) => s.catalogue);
  const files = [...new Set([...(catalogue?.files.map((f) => f.path) ?? []), ...Object.keys(now().works)])].sort();
  const [how, setHow] = useState<"template" | "curl">("template");
  const [template, setTemplate] = useState(templates[0]!.name);
  const [name, setName] = useState("");
  const [command, setCommand] = useState("");
  const [target, setTarget] = useState(files.includes(now().path ?? "") || now().works[now().path ?? ""] ? now().path! : (files[0] ?? "+"));
  const [created, setCreated] = useState("");
  const [problem, setProblem] = useState("");
  const [notes, setNotes] = useState<string[] | null>(null);
  const [busy, setBusy] = useState(false);

  const add = async () => {
    const path = target === "+" ? created : target;
    if (target === "+" && !fileName.test(path)) return setProblem("a file's name is like tasks.yaml: small letters, digits, dots, dashes");
    if (target === "+" && files.includes(path)) return setProblem("there is such a file already");
    if (how === "template" && name === "") return setProblem("the tool needs a name");
    if (how === "curl" && command.trim() === "") return setProblem("paste a curl command first");
    setBusy(true);
    setProblem("");
    try {
      const said = how === "curl" ? await importCurl(path, command, name) : await addTemplate(path, template, name);
      if (said.length > 0) setNotes(said);
      else close();
    } catch (e) {
      setProblem(sentence(e as ApiError));
    }
    setBusy(false);
  };

  if (notes) {
    return (
      <Modal title="The tool is in the draft" close={close}>
        <p>The import leaves to you:</p>
        <ul class="notes">{notes.map((n) => <li>{n}</li>)}</ul>
        <footer><button type="button" class="primary" data-first onClick={close}>Go on</button></footer>
      </Modal>
    );
  }
  return (
    <Modal title="Add a tool" close={close} wide>
      <form onSubmit={(e) => { e.preventDefault(); void add(); }}>
        <fieldset class="choices">
          <legend>From</legend>
          <label><input type="radio" name="how" checked={how === "template"} onChange={() => setHow("template")} /> a template</label>
          <label><input type="radio" name="how" checked={how === "curl"} onChange={() => setHow("curl")} /> a curl command</label>
        </fieldset>
        {how === "template" ? (
          <fieldset class="templates">
            <legend class="told">Template</legend>
            {templates.map((t) => (
              <label>
                <input type="radio" name="template" checked={template === t.name} onChange={() => setTemplate(t.name)} />
                <span><b>{t.title}</b><span class="faint">{t.about}</span></span>
              </label>
            ))}
          </fieldset>
        ) : (
          <div class="field">
            <label for="curl">curl command</label>
            <textarea id="curl" class="mono" rows={6} value={command} onInput={(e) => setCommand(e.currentTarget.value)} placeholder={"curl -X POST https://api.example/tasks -d '{\"title\":\"…\"}'"} />
            <p class="hint">It is read, not run. A secret in it does not get into the file.</p>
          </div>
        )}
        <div class="grid">
          <div class="field">
            <label for="add-name">Name of the tool</label>
            <input id="add-name" class="mono" data-first value={name} placeholder={how === "curl" ? "from the address" : "take_task"} autocomplete="off" onInput={(e) => setName(e.currentTarget.value)} />
          </div>
          <div class="field">
            <label for="add-file">File</label>
            <select id="add-file" value={target} onChange={(e) => setTarget(e.currentTarget.value)}>
              {files.map((f) => <option value={f}>{f}</option>)}
              <option value="+">A new file…</option>
            </select>
          </div>
          {target === "+" && (
            <div class="field">
              <label for="new-file">Name of the file</label>
              <input id="new-file" class="mono" value={created} placeholder="tasks.yaml" autocomplete="off" onInput={(e) => setCreated(e.currentTarget.value)} />
            </div>
          )}
        </div>
        {problem && <p class="message error" role="alert">{problem}</p>}
        <footer>
          <button type="button" onClick={close}>Cancel</button>
          <button type="submit" class="primary" disabled={busy}>{busy ? "Adding…" : "Add"}</button>
        </footer>
      </form>
    </Modal>
  );
}

/** Opens the file that is to get a tool; a new one is a draft until it is saved. */
async function openTarget(path: string): Promise<string> {
  if (!now().catalogue?.files.some((f) => f.path === path) && !now().works[path]) newFile(path, "");
  await openFile(path);
  const work = now().works[path];
  if (!work) throw new Error(`${path} cannot be opened`);
  return work.text;
}

async function importCurl(path: string, command: string, name: string): Promise<string[]> {
  const text = await openTarget(path);
  const done = await api.importCurl({ path, text }, command, name);
  replaceText(path, done.text);
  showTool(done.tool);
  return done.notes ?? [];
}

async function addTemplate(path: string, template: string, name: string): Promise<string[]> {
  await openTarget(path);
  const chosen = templates.find((t) => t.name === template)!;
  const head = /^api:/m.test(now().works[path]!.text);
  const first = now().catalogue?.apis[0]?.name ?? "";
  const value: { [key: string]: Json } = head ? { name } : { name, api: first };
  Object.assign(value, chosen.tool);
  await edit({ op: "add_tool", tool: undefined, value });
  const refused = now().editErrors["undefined:"];
  if (refused) throw new Error(refused);
  selectByName(name);
  focusField("description");
  return [];
}

/** Opens a tool of the open file once the check knows it. */
function showTool(index: number, tries = 50): void {
  if (!currentWork(now())?.tools.some((t) => t.form.index === index)) return void (tries > 0 && setTimeout(() => showTool(index, tries - 1), 100));
  const name = currentWork(now())!.tools.find((t) => t.form.index === index)!.form.name;
  selectByName(name);
}

interface Command {
  label: string;
  keys?: string;
  run: () => void;
}

const keyTable: [string, string][] = [
  ["Ctrl+S", "See what changed, and save; once more to confirm"],
  ["Ctrl+Enter", "Run the try, or the tests"],
  ["Ctrl+K", "Find a tool or a command"],
  ["Alt+N", "Add a tool"],
  ["Alt+1 … Alt+4", "To the list, the form, the YAML, the panel"],
  ["↑ ↓ Enter", "Choose in the list, also from its search field"],
  ["Alt+↑ Alt+↓", "Move an argument, in its row"],
  ["← →", "Change the tab"],
  ["F8", "Next problem, in the YAML"],
  ["Ctrl+Space", "Complete, in the YAML"],
  ["Ctrl+F", "Find, in the YAML"],
  ["Ctrl+Z, Ctrl+Y", "Undo and redo, in the YAML; also what the form did"],
  ["Escape", "Close a dialog"],
];

function commands(): Command[] {
  const s = now();
  const tool = currentTool(s);
  const work = currentWork(s);
  const found: (Command | false | null)[] = [
    { label: "Save…", keys: "Ctrl+S", run: beginSave },
    { label: "Add a tool…", keys: "Alt+N", run: () => update({ dialog: { kind: "add" } }) },
    tool && { label: `Duplicate ${tool.form.name}`, run: () => void duplicateTool() },
    tool && { label: `Rename ${tool.form.name}`, run: () => { update({ view: "form" }); focusField("name"); } },
    tool && { label: `Delete ${tool.form.name}…`, run: deleteTool },
    tool && { label: "Run a try", keys: "Ctrl+Enter", run: () => { showPanel("try"); setTimeout(runTry); } },
    tool && { label: "Run the tests", run: () => showPanel("tests") },
    { label: "Problems", run: () => showPanel("problems") },
    { label: "Model’s view", run: () => showPanel("model") },
    { label: "History", run: () => showPanel("history") },
    { label: "Export", run: () => showPanel("export") },
    { label: "Undo", keys: "Ctrl+Z", run: () => revert("undo") },
    { label: "Redo", keys: "Ctrl+Y", run: () => revert("redo") },
    work !== null && work.text !== work.saved && { label: `Discard the draft of ${work.path}…`, run: () => discard(work.path) },
    work !== null && work.etag !== null && work.tools.length === 0 && { label: `Delete ${work.path}…`, run: () => void deleteFile(work.path) },
    { label: "Theme: light", run: () => setTheme("light") },
    { label: "Theme: dark", run: () => setTheme("dark") },
    { label: "Theme: as the system", run: () => setTheme("auto") },
    { label: "Keys", run: () => update({ dialog: { kind: "keys" } }) },
  ];
  return found.filter((c): c is Command => !!c);
}

const shownEntries = 50;

function Palette() {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const all = useMemo<Command[]>(() => [
    ...commands(),
    ...allTools(now()).map((t) => ({ label: t.name, keys: t.file, run: () => void openTool(t.file, t.name, t.line) })),
  ], []);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((c) => words.every((w) => c.label.toLowerCase().includes(w))).slice(0, shownEntries);
  const run = (c: Command | undefined) => {
    if (!c) return;
    close();
    setTimeout(c.run);
  };
  const keys = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key === "Enter") run(found[at]);
    else if (step) setAt((at + step + found.length) % Math.max(1, found.length));
    else return;
    e.preventDefault();
  };
  useEffect(() => document.getElementById("command-" + at)?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <Modal title="Find a tool or a command" close={close} class="palette">
      <input
        data-first type="text" role="combobox" aria-expanded="true" aria-controls="commands" aria-activedescendant={found[at] && "command-" + at} aria-label="Tool or command"
        placeholder="Type a name" autocomplete="off" value={query} onInput={(e) => { setQuery(e.currentTarget.value); setAt(0); }} onKeyDown={keys}
      />
      <ul id="commands" role="listbox" aria-label="Tools and commands">
        {found.map((c, i) => (
          <li id={"command-" + i} role="option" aria-selected={i === at} onClick={() => run(c)} onMouseMove={() => setAt(i)}>
            <span>{c.label}</span>{c.keys && <span class="faint">{c.keys}</span>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty small" role="status">Nothing of that name.</p>}
    </Modal>
  );
}

function KeysDialog() {
  return (
    <Modal title="Keys" close={close}>
      <table class="keys">
        <tbody>{keyTable.map(([k, what]) => <tr><th scope="row"><kbd>{k}</kbd></th><td>{what}</td></tr>)}</tbody>
      </table>
      <p class="faint">On a Mac, ⌘ stands for Ctrl.</p>
    </Modal>
  );
}

