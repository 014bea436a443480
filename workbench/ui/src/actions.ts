// What the page does: each action calls the API and replaces the state.
import { api, ApiError, readEvents, takeToken, type Change, type Check, type Json, type Step } from "./api";
import { lf, sentence } from "./text";
import { allTools, currentTool, currentWork, isChanged, now, update, updateWork, type PanelName, type State, type ViewName, type Work } from "./store";

const draftKey = (path: string) => "tbridge:draft:" + path;
const checkDelay = 120; // ms of quiet in the YAML before it is checked

export async function start(): Promise<void> {
  takeToken();
  setTheme((localStorage.getItem("tbridge:theme") as State["theme"]) ?? "auto");
  await loadCatalogue();
  if (now().failure) return;
  void listen();
  const last = localStorage.getItem("tbridge:last")?.split("\n");
  const tools = now().catalogue?.tools ?? [];
  const found = tools.find((t) => t.file === last?.[0] && t.name === last?.[1]) ?? tools[0];
  if (found) {
    await openTool(found.file, found.name, found.line);
    update({ view: "tools" });
  } else if (now().catalogue?.files[0]) await openFile(now().catalogue!.files[0]!.path);
}

export async function loadCatalogue(): Promise<void> {
  try {
    update({ catalogue: await api.catalogue(), failure: null });
  } catch (e) {
    const error = e as ApiError;
    const failure =
      error.status === 401
        ? { title: "This page has no valid token", hint: "Open the address that tbridge workbench printed, with its #token=… at the end." }
        : { title: error.message, hint: error.hint };
    if (now().catalogue && error.status !== 401) fail(error);
    else update({ failure });
  }
}

export const notify = (text: string) => update({ notice: { text, severity: "note" } });

export function fail(e: unknown): void {
  const error = e as ApiError;
  update({ notice: { text: sentence(error), severity: "error" } });
}

/** Follows the events of the files for as long as the page is open. */
async function listen(): Promise<void> {
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    const opened = () => {
      wait = 500;
      if (!now().online) void loadCatalogue();
      update({ online: true });
    };
    try {
      await readEvents(new AbortController().signal, opened, (path) => void fileChanged(path));
    } catch (e) {
      if ((e as ApiError).status === 401) {
        update({ failure: { title: "This page's token is not valid any more", hint: "tbridge workbench was started again: open the address that it printed. Drafts are kept." } });
        return;
      }
      update({ online: false });
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

let saving: Promise<unknown> = Promise.resolve();

async function fileChanged(path: string): Promise<void> {
  await saving;
  void loadCatalogue();
  const work = now().works[path];
  if (!work) return;
  try {
    const file = await api.file(path);
    const latest = now().works[path];
    if (!latest || file.etag === latest.etag) return;
    if (latest.text !== latest.saved) return updateWork(path, { disk: file });
    adopt(path, file.text, file.text, file.etag);
    if (now().path === path) notify(`${path} was changed outside and is read again`);
  } catch (e) {
    if ((e as ApiError).status !== 404) return;
    if (isChanged(work)) updateWork(path, { disk: { text: "", etag: null } });
    else closeFile(path);
  }
}

function closeFile(path: string): void {
  const { [path]: _, ...works } = now().works;
  localStorage.removeItem(draftKey(path));
  update({ works, ...(now().path === path ? { path: null, tool: -1 } : {}) });
}

/** Makes text what stands in the page, over what is saved. */
function adopt(path: string, text: string, saved: string, etag: string | null): void {
  updateWork(path, { text, saved, etag, disk: null });
  keepDraft(path);
  void check(path);
}

function keepDraft(path: string): void {
  const work = now().works[path];
  if (!work) return;
  if (!isChanged(work)) localStorage.removeItem(draftKey(path));
  else localStorage.setItem(draftKey(path), JSON.stringify({ text: work.text, etag: work.etag, saved: work.saved }));
}

interface KeptDraft {
  text: string;
  etag: string | null;
  saved: string;
}

function keptDraft(path: string): KeptDraft | null {
  try {
    return JSON.parse(localStorage.getItem(draftKey(path)) ?? "null");
  } catch {
    return null;
  }
}

/** New files that exist only as drafts of this browser. */
export function draftsOfNewFiles(): string[] {
  const known = new Set(now().catalogue?.files.map((f) => f.path));
  const kept: string[] = [];
  for (let i = 0; i < localStorage.length; i++) {
    const key = localStorage.key(i)!;
    if (key.startsWith("tbridge:draft:") && !known.has(key.slice(14)) && keptDraft(key.slice(14))) kept.push(key.slice(14));
  }
  return kept;
}

async function load(path: string): Promise<Work> {
  const draft = keptDraft(path);
  if (draft && draft.etag === null) return work(path, draft.saved, null, draft.text);
  const file = await api.file(path);
  if (!draft || draft.text === file.text) {
    localStorage.removeItem(draftKey(path));
    return work(path, file.text, file.etag, file.text);
  }
  if (draft.etag === file.etag) return work(path, file.text, file.etag, draft.text);
  return { ...work(path, draft.saved, draft.etag, draft.text), disk: file };
}

const work = (path: string, saved: string, etag: string | null, text: string): Work => ({
  path, saved, etag, text, check: null, tools: [], checked: null, disk: null,
});

export async function openFile(path: string): Promise<void> {
  update({ path, tool: -1, field: "", editErrors: {}, view: now().view === "tools" ? "yaml" : now().view });
  await read(path);
}

/** Reads a file that is not open yet; what is to be shown of it is said in the same breath as that it is there. */
async function read(path: string, shown: () => Partial<State> = () => ({})): Promise<void> {
  if (path !== "" && !now().works[path]) {
    update({ opening: true });
    try {
      const opened = await load(path);
      update({ works: { ...now().works, [path]: opened } });
      await check(path);
    } catch (e) {
      fail(e);
    }
  }
  update({ opening: false, ...(now().path === path ? shown() : {}) });
}

export async function openTool(path: string, name: string, line: number): Promise<void> {
  const find = () => {
    const tools = now().works[path]?.tools ?? [];
    return (tools.find((t) => t.summary.name === name && t.summary.line === line) ?? tools.find((t) => t.summary.name === name))?.form.index ?? -1;
  };
  update({ path, tool: find(), field: "", editErrors: {}, view: now().view === "tools" ? "form" : now().view });
  await read(path, () => ({ tool: find() }));
  if (now().path !== path) return;
  localStorage.setItem("tbridge:last", path + "\n" + name);
  reveal("tool");
}

const checks = new Map<string, AbortController>();
const timers = new Map<string, number>();

/** Asks what the text of a file means and what is wrong with it; the answer to an older text is dropped. */
export async function check(path: string): Promise<void> {
  clearTimeout(timers.get(path));
  checks.get(path)?.abort();
  const abort = new AbortController();
  checks.set(path, abort);
  const text = now().works[path]?.text;
  if (text === undefined) return;
  try {
    takeCheck(path, text, await api.check({ path, text }, abort.signal));
  } catch (e) {
    if ((e as Error).name !== "AbortError") fail(e);
  }
}

function takeCheck(path: string, text: string, found: Check): void {
  const work = now().works[path];
  if (!work || work.text !== text) return;
  const diagnostics = (found.diagnostics ?? []).map((d) => ({ ...d, file: d.file || path }));
  const tools = found.tools ?? [];
  updateWork(path, { check: { ...found, diagnostics, tools }, checked: text, tools: found.parses ? tools : work.tools });
}

/** The YAML of the open file became text by typing. */
export function typed(path: string, text: string): void {
  if (now().works[path]?.text === text) return;
  updateWork(path, { text });
  keepDraft(path);
  clearTimeout(timers.get(path));
  timers.set(path, window.setTimeout(() => void check(path), checkDelay));
}

/** Replaces the text of a file by what the API made of it. */
export function replaceText(path: string, text: string): void {
  updateWork(path, { text });
  keepDraft(path);
  void check(path);
}

interface Edit {
  path: string;
  change: Change;
  key: string;
}
let queue: Edit[] = [];
let pumping: Promise<void> | null = null;

/** Changes the open tool; the YAML follows. Changes of one place that wait become one. */
export function edit(change: Change): Promise<void> {
  const { path, tool } = now();
  if (!path) return Promise.resolve();
  const whole = { tool, ...change };
  const key = `${whole.tool}:${(change.at ?? []).join(".")}`;
  const last = queue.at(-1);
  const joins = (change.op === "set" || change.op === "rename") && change.op === last?.change.op;
  if (last && joins && last.path === path && last.key === key) last.change = whole;
  else queue.push({ path, change: whole, key });
  pumping ??= pump().finally(() => (pumping = null));
  return pumping;
}

/** Resolves once no change waits. */
export const settled = () => pumping ?? Promise.resolve();

async function pump(): Promise<void> {
  while (queue.length > 0) {
    const next = queue[0]!;
    const text = now().works[next.path]?.text;
    if (text === undefined) {
      queue.shift();
      continue;
    }
    try {
      const change = next.change;
      const done = await api.edit({ path: next.path, text }, [change]);
      if (now().works[next.path]?.text !== text) continue; // typed meanwhile: once more, on the new text
      if (queue[0] === next && next.change === change) queue.shift();
      checks.get(next.path)?.abort();
      clearTimeout(timers.get(next.path));
      updateWork(next.path, { text: done.text });
      keepDraft(next.path);
      takeCheck(next.path, done.text, done.check);
      setEditError(next.key, null);
    } catch (e) {
      if (queue[0] === next) queue.shift();
      const error = e as ApiError;
      setEditError(next.key, sentence(error));
    }
  }
}

function setEditError(key: string, message: string | null): void {
  const { [key]: was, ...rest } = now().editErrors;
  if (message === null && was === undefined) return;
  update({ editErrors: message === null ? rest : { ...rest, [key]: message } });
}

export const set = (at: Step[], value: Json) => edit({ op: "set", at, value });
export const setRaw = (at: Step[], raw: string) => edit({ op: "set", at, raw });
export const remove = (at: Step[]) => edit({ op: "remove", at });

export async function duplicateTool(): Promise<void> {
  const tool = currentTool(now());
  if (!tool) return;
  const names = new Set(allTools(now()).map((t) => t.name));
  let name = tool.form.name + "_copy";
  for (let n = 2; names.has(name); n++) name = `${tool.form.name}_copy_${n}`;
  await edit({ op: "duplicate_tool", tool: tool.form.index, name });
  selectByName(name);
  focusField("name");
}

/** Opens the tool of that name in the open file, if it is there. */
export function selectByName(name: string): void {
  const found = currentWork(now())?.tools.find((t) => t.form.name === name);
  if (found) update({ tool: found.form.index, view: "form" });
  reveal("tool");
}

export function deleteTool(): void {
  const tool = currentTool(now());
  if (!tool) return;
  ask(`Delete ${tool.form.name}?`, "Its lines are taken out of the file. Nothing is written before you save.", "Delete", async () => {
    await edit({ op: "remove_tool", tool: tool.form.index });
    const left = currentWork(now())?.tools ?? [];
    update({ tool: Math.min(tool.form.index, left.length - 1) });
    document.getElementById("tools")?.focus();
  });
}

export function ask(title: string, text: string, action: string, run: () => void, danger = true): void {
  update({ dialog: { kind: "confirm", title, text, action, run, danger } });
}

export function discard(path: string): void {
  const work = now().works[path];
  if (!work) return;
  ask("Discard the draft?", `What was changed in ${path} and not saved is lost.`, "Discard", () => {
    if (work.etag === null) closeFile(path);
    else if (work.disk?.etag) adoptDisk(path);
    else adopt(path, work.saved, work.saved, work.etag);
  });
}

/** Drops the draft for what an editor outside wrote. */
export function adoptDisk(path: string): void {
  const disk = now().works[path]?.disk;
  if (disk?.etag) adopt(path, disk.text, disk.text, disk.etag);
}

export async function deleteFile(path: string): Promise<void> {
  const work = now().works[path];
  if (!work?.etag) return;
  const { etag } = work;
  ask(`Delete ${path}?`, "The file holds no tools. It is taken away at once; the history keeps its text.", "Delete the file", async () => {
    try {
      await api.deleteFile(path, etag);
      closeFile(path);
      await loadCatalogue();
    } catch (e) {
      fail(e);
    }
  });
}

/** Begins a file that is not there yet. */
export function newFile(path: string, text: string): void {
  update({ works: { ...now().works, [path]: work(path, "", null, text) }, path, tool: -1, editErrors: {} });
  keepDraft(path);
}

export function beginSave(): void {
  const work = currentWork(now());
  if (!work) return;
  if (!isChanged(work)) return notify("Nothing to save: the file is as it stands here");
  if (work.disk) return update({ dialog: { kind: "conflict", ...work.disk } });
  update({ dialog: { kind: "save" } });
}

/** Writes the open file. The dialog stays open, with the reason, when it is refused. */
export async function save(): Promise<ApiError | null> {
  const work = currentWork(now());
  if (!work) return null;
  const text = work.text;
  const request = api.save({ path: work.path, text }, work.etag);
  saving = request.catch(() => null);
  try {
    const { etag } = await request;
    updateWork(work.path, { saved: text, etag, disk: null });
    keepDraft(work.path);
    update({ dialog: null });
    notify(`${work.path} is saved`);
    void loadCatalogue();
    return null;
  } catch (e) {
    const error = e as ApiError;
    if (error.status === 412) {
      const current = error.body.current ?? { text: "", etag: null };
      updateWork(work.path, { disk: current });
      update({ dialog: { kind: "conflict", ...current } });
      return null;
    }
    return error;
  }
}

/** Ends a conflict: text stands in the page from now on, over the version on disk. */
export function resolveConflict(text: string, disk: { text: string; etag: string | null }): void {
  const path = now().path;
  if (!path) return;
  adopt(path, text, disk.text, disk.etag);
  update({ dialog: text === disk.text && disk.etag !== null ? null : { kind: "save" } });
}

export function setTheme(theme: State["theme"]): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("tbridge:theme", theme);
  update({ theme });
}

export const showPanel = (panel: PanelName) => update({ panel, panelOpen: true, view: "panel" });
export const showView = (view: ViewName) => update({ view });

type Target = "tool" | "field" | { from: number; to: number };
let revealer: (target: Target, key?: string) => void = () => {};

/** Hands the YAML editor's way to bring a place into view to the actions. */
export const onReveal = (fn: typeof revealer) => void (revealer = fn);
export const reveal = (target: Target, key?: string) => queueMicrotask(() => revealer(target, key));

/** Moves the focus to a field of the form, once it is there. */
export function focusField(key: string, tries = 20): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (!field) return void (tries > 0 && focusField(key, tries - 1));
    field.closest("details")?.setAttribute("open", "");
    const input = field.matches("input, textarea, select, [contenteditable]") ? field : field.querySelector<HTMLElement>("input, textarea, select, [contenteditable]");
    input?.focus();
    if (input instanceof HTMLInputElement) input.select();
    input?.scrollIntoView({ block: "nearest" });
  });
}

/** Goes to the place of a problem, wherever it is. */
export async function goTo(file: string, line: number, column: number, from: (text: string) => [number, number]): Promise<void> {
  const catalogue = now().catalogue;
  if (file !== "" && file === catalogue?.config.path) return void openFile("");
  if (now().path !== file) await openFile(file);
  const work = now().works[file];
  if (!work) return;
  const owner = work.tools.filter((t) => t.summary.line <= line).at(-1);
  const [a, b] = from(lf(work.text));
  update({ tool: owner?.form.index ?? now().tool, view: "yaml" });
  void column;
  reveal({ from: a, to: b });
}
