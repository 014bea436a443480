// The tools of all files, found by words, file, tag and problem.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ToolSummary } from "./api";
import { draftsOfNewFiles, openFile, openTool } from "./actions";
import { Counts, Icon } from "./parts";
import { allTools, currentTool, isChanged, update, useStore, type State } from "./store";
import { plural } from "./text";

interface Row {
  key: string;
  file: string;
  tool: ToolSummary | null; // null: the row of the file itself
}

const matches = (t: ToolSummary, words: string[]) => {
  const text = `${t.name} ${t.title} ${t.description} ${t.method} ${t.path} ${t.api} ${(t.tags ?? []).join(" ")}`.toLowerCase();
  return words.every((w) => text.includes(w));
};

/** The key of the row of what is open. */
function openRow(s: State): string {
  const tool = currentTool(s)?.summary;
  return s.path === "" ? "config" : tool ? `t:${s.path}:${tool.line}:${tool.name}` : `f:${s.path}`;
}

export function ToolList() {
  const catalogue = useStore((s) => s.catalogue);
  const tools = useStore(allTools);
  const works = useStore((s) => Object.keys(s.works).join("\n"));
  const unsaved = useStore((s) => Object.values(s.works).filter(isChanged).map((w) => w.path).join("\n"));
  const current = useStore(openRow);
  const [query, setQuery] = useState("");
  const [file, setFile] = useState("");
  const [tag, setTag] = useState("");
  const [only, setOnly] = useState("");
  const [cursor, setCursor] = useState("");

  const files = useMemo(() => {
    const known = (catalogue?.files ?? []).map((f) => f.path);
    return [...new Set([...known, ...tools.map((t) => t.file), ...works.split("\n").filter(Boolean), ...draftsOfNewFiles()])].sort();
  }, [catalogue, works, tools]);
  const tags = useMemo(() => [...new Set(tools.flatMap((t) => t.tags ?? []))].sort(), [tools]);

  const rows = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const filtered = words.length > 0 || tag !== "" || only === "problems";
    const shown = (f: string) => (file === "" || f === file) && (only !== "changed" || unsaved.split("\n").includes(f));
    const found: Row[] = [];
    for (const f of files.filter(shown)) {
      const hits = tools.filter(
        (t) => t.file === f && matches(t, words) && (tag === "" || t.tags?.includes(tag)) && (only !== "problems" || t.errors + t.warnings > 0),
      );
      const info = catalogue?.files.find((i) => i.path === f);
      if (filtered && hits.length === 0 && !(only === "problems" && words.length === 0 && info && info.errors > 0)) continue;
      found.push({ key: "f:" + f, file: f, tool: null }, ...hits.map((tool) => ({ key: `t:${f}:${tool.line}:${tool.name}`, file: f, tool })));
    }
    if (!filtered && file === "" && only === "") found.push({ key: "config", file: "", tool: null });
    return found;
  }, [files, tools, query, file, tag, only, unsaved, catalogue]);

  const at = rows.some((r) => r.key === cursor) ? cursor : rows.some((r) => r.key === current) ? current : ((rows.find((r) => r.tool) ?? rows[0])?.key ?? "");

  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    document.getElementById("row-" + at)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  useEffect(() => setCursor(""), [current]);

  const choose = (row: Row | undefined) => {
    if (!row) return;
    setCursor(row.key);
    if (row.tool) void openTool(row.file, row.tool.name, row.tool.line);
    else void openFile(row.file);
  };
  const keys = (e: KeyboardEvent) => {
    const i = rows.findIndex((r) => r.key === at);
    const to = { ArrowDown: i + 1, ArrowUp: i - 1, PageDown: i + 10, PageUp: i - 10 }[e.key] ?? (e.target === list.current ? { Home: 0, End: rows.length - 1 }[e.key] : undefined);
    if (e.key === "Enter") choose(rows[i]);
    else if (to !== undefined) setCursor(rows[Math.max(0, Math.min(rows.length - 1, to))]?.key ?? "");
    else return;
    e.preventDefault();
  };
  const count = rows.filter((r) => r.tool).length;

  return (
    <nav class="list" aria-label="Tools" onKeyDown={(e) => e.target instanceof HTMLSelectElement || e.target instanceof HTMLButtonElement || keys(e)}>
      <div class="filters">
        <div class="search">
          <Icon name="search" />
          <input type="text" id="search" list={undefined} placeholder="Search tools" aria-label="Search tools" role="combobox" aria-expanded="true" aria-controls="tools" aria-activedescendant={at && "row-" + at} autocomplete="off" value={query} onInput={(e) => { setQuery(e.currentTarget.value); setCursor(""); }} />
          <button type="button" class="icon-button" aria-label="Add a tool" title="Add a tool (Alt+N)" onClick={() => update({ dialog: { kind: "add" } })}><Icon name="plus" /></button>
        </div>
        <div class="selects">
          <select aria-label="File" value={file} onChange={(e) => setFile(e.currentTarget.value)}>
            <option value="">All files</option>
            {files.map((f) => <option value={f}>{f}</option>)}
          </select>
          <select aria-label="Tag" value={tag} onChange={(e) => setTag(e.currentTarget.value)}>
            <option value="">All tags</option>
            {tags.map((t) => <option value={t}>{t}</option>)}
          </select>
          <select aria-label="Show" value={only} onChange={(e) => setOnly(e.currentTarget.value)}>
            <option value="">All states</option>
            <option value="problems">With problems</option>
            <option value="changed">Unsaved</option>
          </select>
        </div>
      </div>
      {files.length > 0 && count === 0 && rows.every((r) => r.key === "config") && <p class="empty small">No tool matches.</p>}
      {files.length === 0 && <p class="empty small">No tools yet.</p>}
      <ul id="tools" role="listbox" aria-label="Tools" tabIndex={0} aria-activedescendant={at && "row-" + at} ref={list}>
        {useMemo(() => rows.map((row) => {
          const shared = {
            id: "row-" + row.key,
            role: "option" as const,
            "aria-selected": row.key === current,
            onClick: () => choose(row),
            class: [row.tool ? "tool" : "file", row.key === at ? "cursor" : ""].join(" "),
          };
          if (row.tool) return <li key={row.key} {...shared}><ToolRow t={row.tool} /></li>;
          return <li key={row.key} {...shared}><FileRow row={row} changed={row.file !== "" && unsaved.split("\n").includes(row.file)} /></li>;
        }), [rows, current, at, unsaved])}
      </ul>
      <p class="foot" role="status">{plural(count, "tool")} · ≈ {tools.reduce((n, t) => n + t.tokens, 0).toLocaleString("en")} tokens in all</p>
    </nav>
  );
}

function ToolRow({ t }: { t: ToolSummary }) {
  return (
    <>
      <span class={"method " + t.method.toLowerCase()}>{t.method || "?"}</span>
      <span class="name" title={t.description}>{t.name || "(no name)"}</span>
      {t.deprecated && <span class="badge">deprecated</span>}
      <Counts errors={t.errors} warnings={t.warnings} />
    </>
  );
}

function FileRow({ row, changed }: { row: Row; changed: boolean }) {
  const info = useStore((s) => s.catalogue?.files.find((f) => f.path === row.file));
  const check = useStore((s) => s.works[row.file]?.check);
  const errors = check ? check.diagnostics.filter((d) => d.severity === "error").length : (info?.errors ?? 0);
  return (
    <>
      <span class="name">{row.file === "" ? "tbridge.yaml" : row.file}</span>
      {row.file === "" && <span class="badge">read only</span>}
      {changed && <span class="badge changed">unsaved</span>}
      <Counts errors={errors} warnings={0} />
    </>
  );
}
