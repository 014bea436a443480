// The page: its layout, its banners, its keys.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { adoptDisk, beginSave, loadCatalogue, reveal, setTheme, showView, start } from "./actions";
import { Dialogs } from "./dialogs";
import { FormPane } from "./form";
import { ToolList } from "./list";
import { Panel } from "./panel";
import { Counts, Icon, IconButton, Tabs } from "./parts";
import { currentWork, isChanged, now, update, useStore, type ViewName } from "./store";
import { plural } from "./text";
import { runTry } from "./try";
import { revert, YamlEditor } from "./yaml";

function App() {
  const catalogue = useStore((s) => s.catalogue);
  const failure = useStore((s) => s.failure);
  if (failure) return <Failure />;
  if (!catalogue) return <main class="full"><h1 class="told">tbridge workbench</h1><p class="empty" role="status">Reading the tools…</p></main>;
  return <Workbench />;
}

function Failure() {
  const failure = useStore((s) => s.failure)!;
  return (
    <main class="full">
      <div class="failure">
        <h1>{failure.title}</h1>
        {failure.hint && <p>{failure.hint}</p>}
        <button type="button" class="primary" onClick={() => void start()}>Try again</button>
      </div>
    </main>
  );
}

const views: { name: ViewName; label: string }[] = [
  { name: "tools", label: "Tools" },
  { name: "form", label: "Form" },
  { name: "yaml", label: "YAML" },
  { name: "panel", label: "Details" },
];

function Workbench() {
  const view = useStore((s) => s.view);
  const check = useStore((s) => currentWork(s)?.check);
  const errors = check?.diagnostics.filter((d) => d.severity === "error").length ?? 0;
  const parts = views.map((v) => (v.name === "panel" ? { ...v, label: <>{v.label} <Counts errors={errors} warnings={0} /></> } : v));
  return (
    <div class="app" data-view={view}>
      <Head />
      <nav class="views" aria-label="Parts of the page"><Tabs label="Parts of the page" id="view" tabs={parts} current={view} choose={showView} controls={"part-" + view} /></nav>
      <Banners />
      <div class="columns">
        <div class="part tools" id="part-tools"><ToolList /></div>
        <main>
          <div class="sides">
            <section class="part form-part" id="part-form" aria-label="Form"><FormPane /></section>
            <section class="part yaml-part" id="part-yaml" aria-label="YAML"><YamlHead /><YamlEditor /></section>
          </div>
          <Splitter />
          <div class="part panel-part" id="part-panel"><Panel /></div>
        </main>
      </div>
      <Notice />
      <Dialogs />
      <Told />
    </div>
  );
}

function Head() {
  const name = useStore((s) => s.catalogue!.name);
  const work = useStore(currentWork);
  const theme = useStore((s) => s.theme);
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  const changed = work !== null && isChanged(work);
  return (
    <header class="head">
      <h1>{name} <span class="faint">workbench</span></h1>
      <span class="space" />
      <button type="button" class="find" title="Find a tool or a command" onClick={() => update({ dialog: { kind: "palette" } })}><Icon name="search" /><span>Find</span><kbd>Ctrl K</kbd></button>
      <IconButton icon={theme} label={`Theme: ${theme === "auto" ? "as the system" : theme}`} onClick={() => setTheme(next[theme])} />
      <button type="button" class="icon-button" aria-label="Keys" title="Keys" onClick={() => update({ dialog: { kind: "keys" } })}>?</button>
      <button type="button" class="primary save" disabled={!changed} onClick={beginSave} title="Ctrl+S">{changed ? "Save…" : "Saved"}</button>
    </header>
  );
}

function YamlHead() {
  const path = useStore((s) => s.path);
  const work = useStore(currentWork);
  if (path === null) return null;
  return (
    <div class="yaml-head">
      <h2 class="path">{path === "" ? "tbridge.yaml" : path}</h2>
      {work && isChanged(work) && <span class="badge changed">{work.etag === null ? "new" : "unsaved"}</span>}
      <span class="space" />
      {work && <IconButton icon="undo" label="Undo" keys="Ctrl+Z" onClick={() => revert("undo")} />}
      {work && <IconButton icon="redo" label="Redo" keys="Ctrl+Y" onClick={() => revert("redo")} />}
    </div>
  );
}

function Banners() {
  const work = useStore(currentWork);
  const online = useStore((s) => s.online);
  if (!online) {
    return (
      <div class="banner offline" role="status">
        <span><b>The workbench does not answer.</b> Is <code>tbridge workbench</code> still running? Drafts stay in this browser; the page goes on by itself once it answers.</span>
      </div>
    );
  }
  if (!work?.disk) return null;
  const disk = work.disk;
  return (
    <div class="banner" role="status">
      <span><b>{work.path}</b> {disk.etag === null ? "was deleted" : "was changed"} on disk while you have a draft of it.</span>
      <button type="button" onClick={() => update({ dialog: { kind: "conflict", ...disk } })}>Compare</button>
      {disk.etag !== null && <button type="button" onClick={() => adoptDisk(work.path)}>Drop the draft</button>}
    </div>
  );
}

const heightKey = "tbridge:panel";

/** The line between the text and the panel, moved by mouse and keys. */
function Splitter() {
  const open = useStore((s) => s.panelOpen);
  const [height, setHeight] = useState(() => Number(localStorage.getItem(heightKey)) || 34);
  useEffect(() => {
    document.documentElement.style.setProperty("--panel", height + "vh");
    localStorage.setItem(heightKey, String(height));
  }, [height]);
  const to = (h: number) => setHeight(Math.round(Math.max(12, Math.min(75, h))));
  if (!open) return null;
  return (
    <div
      class="splitter" role="separator" tabIndex={0} aria-label="Height of the panel" aria-orientation="horizontal" aria-valuenow={height} aria-valuemin={12} aria-valuemax={75}
      onKeyDown={(e) => {
        const step = { ArrowUp: 4, ArrowDown: -4 }[e.key];
        if (step) { e.preventDefault(); to(height + step); }
      }}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={(e) => { if (e.currentTarget.hasPointerCapture(e.pointerId)) to(100 - (e.clientY / innerHeight) * 100); }}
    />
  );
}

function Notice() {
  const notice = useStore((s) => s.notice);
  useEffect(() => {
    if (!notice || notice.severity === "error") return;
    const timer = setTimeout(() => now().notice === notice && update({ notice: null }), 5000);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" aria-live="polite">
      {notice && (
        <div class={"notice " + notice.severity}>
          <span>{notice.text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => update({ notice: null })} />
        </div>
      )}
    </div>
  );
}

/** Tells those who do not see the page what the last check found. */
function Told() {
  const check = useStore((s) => currentWork(s)?.check ?? null);
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => {
      const errors = check?.diagnostics.filter((d) => d.severity === "error") ?? [];
      setText(!check ? "" : errors.length === 0 ? "No errors" : `${plural(errors.length, "error")}: ${errors[0]!.message}`);
    }, 800);
    return () => clearTimeout(timer);
  }, [check]);
  return <div class="told" aria-live="polite">{text}</div>;
}

function focusPart(view: ViewName): void {
  update(view === "panel" ? { view, panelOpen: true } : { view });
  requestAnimationFrame(() => {
    const first = {
      tools: "#search",
      form: "#part-form input, #part-form button",
      yaml: "#part-yaml .cm-content",
      panel: '#part-panel [role="tab"][aria-selected="true"]',
    }[view];
    document.querySelector<HTMLElement>(first)?.focus();
  });
}

addEventListener("keydown", (e) => {
  const s = now();
  const mod = e.ctrlKey || e.metaKey;
  const run = (action: () => void) => {
    e.preventDefault();
    e.stopPropagation();
    action();
  };
  if (mod && !e.shiftKey && !e.altKey && e.key === "s") return s.dialog ? e.preventDefault() : run(beginSave);
  if (s.dialog || document.querySelector("dialog[open]")) return;
  if (mod && !e.shiftKey && e.key === "k") return run(() => update({ dialog: { kind: "palette" } }));
  if (mod && e.key === "Enter") return run(() => (s.panel === "try" || s.panel === "tests" ? runTry() : update({ panel: "try", panelOpen: true, view: "panel" })));
  if (!e.altKey || mod) return;
  if (e.code === "KeyN") return run(() => update({ dialog: { kind: "add" } }));
  const part = { Digit1: "tools", Digit2: "form", Digit3: "yaml", Digit4: "panel" }[e.code] as ViewName | undefined;
  if (part) run(() => focusPart(part));
}, true);

addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && now().catalogue && !now().online) void loadCatalogue();
});

render(<App />, document.getElementById("app")!);
void start().then(() => reveal("tool"));
