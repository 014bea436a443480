// What is known of the open tool beside its text: problems, the model's view, tries, tests, history, export.
import { useEffect, useState } from "preact/hooks";
import { api, type Diagnostic, type Diff, type Save, type Schema, type TestResult, type ToolCheck } from "./api";
import { fail, goTo, replaceText, notify } from "./actions";
import { CopyButton, Counts, FixButton, Hunks, Icon, IconButton, JsonText, Tabs, useRequest } from "./parts";
import { allDiagnostics, currentTool, update, useStore, type PanelName, type State } from "./store";
import { order, plural, range, sentence, unlike, type Line } from "./text";
import { onRun, TryPanel } from "./try";

export function Panel() {
  const panel = useStore((s) => s.panel);
  const open = useStore((s) => s.panelOpen);
  const found = useProblems();
  const count = (severity: string) => found.filter((d) => d.severity === severity).length;
  const tabs: { name: PanelName; label: preact.ComponentChildren }[] = [
    { name: "problems", label: <>Problems <Counts errors={count("error")} warnings={count("warning")} notes={count("note")} /></> },
    { name: "model", label: <span>Model<span class="roomy">’s view</span></span> },
    { name: "try", label: "Try it" },
    { name: "tests", label: "Tests" },
    { name: "history", label: "History" },
    { name: "export", label: "Export" },
  ];
  return (
    <section class={open ? "panel" : "panel closed"} aria-label="About the tool">
      <h2 class="told">About the tool</h2>
      <div class="panel-head">
        <Tabs label="About the tool" id="panel-tab" tabs={tabs} current={panel} choose={(name) => update({ panel: name, panelOpen: true })} controls="panel" />
        <IconButton icon={open ? "down" : "up"} label={open ? "Fold the panel" : "Unfold the panel"} aria-expanded={open} onClick={() => update({ panelOpen: !open })} />
      </div>
      {open && (
        <div class="panel-body" id="panel" role="tabpanel" aria-labelledby={"panel-tab-" + panel} tabIndex={-1}>
          <PanelBody panel={panel} />
        </div>
      )}
    </section>
  );
}

function PanelBody({ panel }: { panel: PanelName }) {
  const tool = useStore(currentTool);
  const path = useStore((s) => s.path);
  if (panel === "problems") return <ProblemsPanel />;
  if (panel === "history") return path ? <HistoryPanel key={path} path={path} /> : <p class="empty">Open a file to see its history.</p>;
  if (!tool) return <p class="empty">Open a tool first.</p>;
  const key = `${path}#${tool.form.index}#${tool.form.name}`;
  switch (panel) {
    case "model":
      return <ModelPanel tool={tool} />;
    case "try":
      return <TryPanel key={key} tool={tool} />;
    case "tests":
      return <TestsPanel key={key} tool={tool} />;
    case "export":
      return <ExportPanel key={key} tool={tool} />;
  }
}

function useProblems(): Diagnostic[] {
  const catalogue = useStore((s) => s.catalogue);
  const works = useStore((s) => s.works);
  return allDiagnostics({ catalogue, works } as State);
}

const rank = { error: 0, warning: 1, note: 2 };
const shownProblems = 300;

function ProblemsPanel() {
  const [here, setHere] = useState(false);
  const path = useStore((s) => s.path);
  const all = useProblems();
  const found = all
    .filter((d) => !here || d.file === path)
    .sort((a, b) => rank[a.severity] - rank[b.severity] || Number(b.file === path) - Number(a.file === path) || order(a.file, b.file) || a.line - b.line || a.column - b.column);
  if (all.length === 0) return <p class="empty"><Icon name="ok" /> No problems.</p>;
  return (
    <>
      <label class="filter"><input type="checkbox" checked={here} onChange={(e) => setHere(e.currentTarget.checked)} /> only in this file</label>
      <ul class="problems">
        {found.slice(0, shownProblems).map((d) => <Problem d={d} />)}
      </ul>
      {found.length > shownProblems && <p class="faint">and {plural(found.length - shownProblems, "more", "more")}</p>}
    </>
  );
}

function Problem({ d }: { d: Diagnostic }) {
  const text = useStore((s) => s.works[d.file]?.text);
  const go = (p: { file: string; line: number; column: number; end_line: number; end_column: number }) => void goTo(p.file, p.line, p.column, (t) => range(t, p));
  return (
    <li class={d.severity}>
      <Icon name={d.severity} />
      <div class="finding">
        <button type="button" class="plain" onClick={() => go(d)}><span class="told">{d.severity}: </span>{sentence(d)}</button>
        <FixButton d={d} text={text} then={() => document.getElementById("panel-tab-problems")?.focus()} />
        {(d.related ?? []).map((r) => <button type="button" class="link" onClick={() => go(r)}>{r.message} ({r.file}:{r.line})</button>)}
      </div>
      <span class="where"><code>{d.rule}</code> {d.file}:{d.line}</span>
    </li>
  );
}

function ModelPanel({ tool }: { tool: ToolCheck }) {
  const all = useStore((s) => s.catalogue?.tools ?? none).reduce((n, t) => n + t.tokens, 0);
  const d = tool.definition;
  if (!d) return <p class="empty">The tool has errors; what the model would see cannot be said.</p>;
  const s = tool.summary;
  return (
    <div class="model">
      <section aria-label="In words">
        <dl>
          <dt>Name</dt><dd><code>{d.name}</code></dd>
          <dt>Costs</dt><dd>≈ {tool.tokens.toLocaleString("en")} tokens of ≈ {all.toLocaleString("en")} for all tools</dd>
          <dt>Kind</dt><dd>{s.read_only ? "read-only" : s.destructive ? "changes and may destroy" : "changes something"}</dd>
          <dt>Description</dt><dd class="prose">{d.description || <span class="faint">none</span>}</dd>
          <dt>Arguments</dt><dd><ArgumentsInWords schema={d.inputSchema} open={tool.form.arguments === null} /></dd>
        </dl>
      </section>
      <section aria-label="Definition">
        <div class="bar"><h3>As listed</h3><CopyButton text={JSON.stringify(d, null, 2)} label="Copy" /></div>
        <JsonText value={d} label="Definition as listed" />
      </section>
    </div>
  );
}
const none: never[] = [];

function ArgumentsInWords({ schema, open }: { schema: Schema | undefined; open: boolean }) {
  const all = Object.entries(schema?.properties ?? {});
  if (all.length === 0) return <span class="faint">{open ? "whatever it likes" : "none"}</span>;
  return (
    <ul>
      {all.map(([name, s]) => (
        <li><code>{name}</code> <span class="faint">({s.type ?? s.anyOf?.[0]?.type ?? "any"}{schema?.required?.includes(name) ? ", required" : ""})</span> {s.description ?? s.anyOf?.[0]?.description}</li>
      ))}
    </ul>
  );
}

function TestsPanel({ tool }: { tool: ToolCheck }) {
  const path = useStore((s) => s.path)!;
  const text = useStore((s) => s.works[path]?.checked ?? "");
  const [round, setRound] = useState(0);
  const usable = tool.summary.errors === 0;
  const run = useRequest([text, tool.form.name, round, usable], 300, usable ? (signal) => api.test({ path, text }, tool.form.name, signal) : null);
  onRun(() => setRound(round + 1));
  if (!usable) return <p class="empty">The tool has errors. Its tests run once they are mended.</p>;
  const tests = run.value?.tests ?? [];
  const failed = tests.filter((t) => !t.passed).length;
  return (
    <>
      <div class="bar">
        <h3 aria-live="polite">{run.busy ? "Running…" : run.error ? run.error.message : tests.length === 0 ? "No tests" : failed === 0 ? `${plural(tests.length, "test")} passed` : `${failed} of ${plural(tests.length, "test")} failed`}</h3>
        <button type="button" class="small" onClick={() => setRound(round + 1)} title="Ctrl+Enter"><Icon name="play" /> Run</button>
      </div>
      {tests.length === 0 && !run.busy && <p class="faint">Try the tool and keep the try as a test, or write <code>tests:</code> in the YAML. They run here without network.</p>}
      <ul class="tests">{tests.map((t) => <TestRow t={t} path={path} />)}</ul>
    </>
  );
}

function TestRow({ t, path }: { t: TestResult; path: string }) {
  const place = { file: path, line: t.line, column: 1, end_line: t.line, end_column: 1 };
  return (
    <li class={t.passed ? "passed" : "failed"}>
      <button type="button" class="plain" onClick={() => void goTo(path, t.line, 1, (text) => range(text, place))}>
        <Icon name={t.passed ? "ok" : "error"} /> <span class="told">{t.passed ? "passed: " : "failed: "}</span><span>{t.name || "(no name)"}</span>
      </button>
      {(t.diff ?? []).map((d) => <Difference d={d} />)}
    </li>
  );
}

/** What was expected and what came, side by side, with the lines marked that the other one has not. */
function Difference({ d }: { d: { what: string; expected: string; got: string } }) {
  const [left, right] = unlike(d.expected, d.got);
  const side = (title: string, lines: Line[], mark: string) => (
    <section aria-label={`${d.what}, ${title}`}>
      <h4>{d.what}, {title}</h4>
      <pre class="text">{lines.map((l) => <span class={l.own ? mark : ""}>{l.text + "\n"}</span>)}</pre>
    </section>
  );
  return <div class="difference">{side("expected", left, "removed")}{side("got", right, "added")}</div>;
}

const kept: Record<string, string> = { saved: "saved here", before: "as a save found it", deleted: "as it was deleted" };

function HistoryPanel({ path }: { path: string }) {
  const etag = useStore((s) => s.works[path]?.etag);
  const [chosen, setChosen] = useState<{ save: Save; text: string; diff: Diff } | null>(null);
  const list = useRequest([path, etag], 0, () => api.history(path));
  useEffect(() => setChosen(null), [etag]);
  const look = async (save: Save) => {
    try {
      const { text } = await api.historyEntry(save.id);
      setChosen({ save, text, diff: await api.diff({ path, text }) });
    } catch (e) {
      fail(e);
    }
  };
  const restore = (text: string) => {
    replaceText(path, text);
    notify("The older text stands in the page; save to write it");
  };
  const saves = list.value?.saves ?? [];
  if (list.error) return <p class="message error">{list.error.message}</p>;
  if (list.busy && saves.length === 0) return <p class="faint" role="status">Reading…</p>;
  if (saves.length === 0) return <p class="empty">{path} was not saved from here yet. Each save keeps what was there before, outside the repository.</p>;
  return (
    <div class="history">
      <ol aria-label={"Saves of " + path}>
        {saves.map((s) => (
          <li>
            <button type="button" aria-pressed={chosen?.save.id === s.id} onClick={() => void look(s)}>
              <time dateTime={s.at}>{new Date(s.at).toLocaleString()}</time> <span class="faint">{kept[s.note ?? ""] ?? s.note}</span>
            </button>
          </li>
        ))}
      </ol>
      <section aria-label="What restoring would change">
        {chosen === null ? <p class="faint">Choose a save to see what restoring it would change.</p> : (
          <>
            <div class="bar">
              <h3>Restoring would change</h3>
              <button type="button" class="small" onClick={() => restore(chosen.text)}><Icon name="undo" /> Restore this text</button>
            </div>
            {(chosen.diff.hunks ?? []).length === 0 ? <p class="faint">Nothing: the file is as it was then.</p> : <Hunks hunks={chosen.diff.hunks!} />}
          </>
        )}
      </section>
    </div>
  );
}

const formats = [
  { name: "mcp", label: "MCP" },
  { name: "openai", label: "OpenAI" },
  { name: "anthropic", label: "Anthropic" },
  { name: "trustgraph", label: "TrustGraph" },
  { name: "prompt", label: "Prompt text" },
];

function ExportPanel({ tool }: { tool: ToolCheck }) {
  const [format, setFormat] = useState("mcp");
  const path = useStore((s) => s.path)!;
  const text = useStore((s) => s.works[path]?.checked ?? "");
  const usable = tool.summary.errors === 0;
  const got = useRequest([text, tool.form.name, format, usable], 100, usable ? (signal) => api.exportTool({ path, text }, tool.form.name, format, signal) : null);
  if (!usable) return <p class="empty">The tool has errors. It can be exported once they are mended.</p>;
  return (
    <>
      <div class="bar">
        <h3>For other systems</h3>
        <select aria-label="Format" value={format} onChange={(e) => setFormat(e.currentTarget.value)}>
          {formats.map((f) => <option value={f.name}>{f.label}</option>)}
        </select>
        {got.value && !got.error && <CopyButton text={got.value.text} label="Copy" />}
      </div>
      {got.error ? <p class="message error">{got.error.message}</p> : got.value ? <JsonText value={got.value.text} label={"Export as " + format} /> : <p class="faint" role="status">Reading…</p>}
    </>
  );
}
