// Trying a tool: a form made from its schema, the request, the answer, and what the model would get.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, ApiError, parseJson, type HttpRequest, type Json, type Preview, type Schema, type ToolCheck, type Try } from "./api";
import { fail, notify, replaceText, showPanel } from "./actions";
import { CopyButton, Icon, JsonText, Modal, pretty, useRequest } from "./parts";
import { useStore } from "./store";
import { sentence } from "./text";

type Values = Record<string, Json>;

const stacked = "(max-width: 1100px)"; // request and answer stand below the arguments

const kept = new Map<string, Values>(); // what was tried last, by tool
let runner: () => void = () => {};

/** Runs what the open panel offers to run. */
export const runTry = () => runner();
export const onRun = (fn: () => void) => void (runner = fn);

export function TryPanel({ tool }: { tool: ToolCheck }) {
  const path = useStore((s) => s.path)!;
  const text = useStore((s) => s.works[path]?.checked ?? "");
  const name = tool.form.name;
  const schema = tool.definition?.inputSchema;
  const [args, setArgs] = useState<Values>(() => kept.get(name) ?? initial(schema));
  const [asText, setAsText] = useState(schema?.properties === undefined || Object.keys(schema.properties).length === 0 && tool.form.arguments === null);
  const [tried, setTried] = useState<Try | null>(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<Preview | null>(null);
  const [ran, setRan] = useState(false);
  const answer = useRef<HTMLElement>(null);
  const request = JSON.stringify(args);
  const blank = (schema?.required ?? []).filter((n) => args[n] === "" || args[n] === undefined);
  const usable = tool.definition !== null && tool.summary.errors === 0;
  const preview = useRequest([text, name, request, usable], 200, usable ? (signal) => api.preview({ path, text }, name, args, signal) : null);

  useEffect(() => void kept.set(name, args), [args]);
  useEffect(() => {
    if (tried && matchMedia(stacked).matches) answer.current?.scrollIntoView({ block: "start" });
  }, [tried]);

  const run = async (confirmed?: Preview) => {
    if (!usable || busy) return;
    setAsked(null);
    setBusy(true);
    setRan(true);
    try {
      const p = confirmed ?? (await api.preview({ path, text }, name, args));
      if (!confirmed && !p.safe) setAsked(p);
      else setTried(await api.try({ path, text }, name, args, p.hash));
    } catch (e) {
      const error = e as ApiError;
      if (error.code === "confirm") setAsked({ request: error.body.request, hash: error.body.hash, curl: "", safe: false });
      else if (error.status !== 422) fail(e);
    }
    setBusy(false);
  };
  onRun(() => void run());

  const keep = async () => {
    if (!tried) return;
    try {
      replaceText(path, (await api.keepTest({ path, text }, name, tried)).text);
      notify("The try is now a test of the tool; save to keep it");
      showPanel("tests");
    } catch (e) {
      fail(e);
    }
  };

  if (!usable) return <p class="empty">The tool has errors. It can be tried once they are mended.</p>;
  const waiting = blank.length > 0 && !ran; // nobody is told off before they have begun
  const problems = preview.error instanceof ApiError && !waiting ? ((preview.error.body.problems as Problem[] | undefined) ?? []) : [];
  return (
    <div class="try">
      <section aria-label="Arguments">
        <div class="bar">
          <h3>Arguments</h3>
          <button type="button" class="small" aria-pressed={asText} onClick={() => setAsText(!asText)}>as JSON</button>
          <button type="button" class="primary small" disabled={busy} onClick={() => void run()} title="Ctrl+Enter"><Icon name="play" /> {busy ? "Running…" : "Run"}</button>
        </div>
        {asText ? <JsonArguments value={args} change={setArgs} /> : <Fields schema={schema!} value={args} change={setArgs} path="" problems={problems} />}
      </section>
      <section aria-label="Request">
        <div class="bar">
          <h3>Request</h3>
          {preview.value && !preview.error && <CopyButton text={preview.value.curl} label="Copy as curl" />}
        </div>
        {preview.error && waiting ? <p class="faint" role="status">Fill in {blank.map((n, i) => <>{i > 0 && ", "}<code>{n}</code></>)} to see it.</p>
          : preview.error ? <Refusal error={preview.error} problems={problems} /> : preview.value ? <RequestView r={preview.value.request} /> : <p class="faint" role="status">Rendering…</p>}
      </section>
      <section aria-label="Response" class="answer" ref={answer}>
        {tried ? <Answer t={tried} keep={() => void keep()} /> : <><div class="bar"><h3>Response</h3></div><p class="faint">{busy ? "Waiting for the answer…" : "Run it to see the answer, and what the model gets of it."}</p></>}
      </section>
      {asked && <Confirm preview={asked} run={() => void run(asked)} close={() => setAsked(null)} />}
    </div>
  );
}

interface Problem {
  path: string;
  message: string;
  hint?: string;
}

function Refusal({ error, problems }: { error: Error; problems: Problem[] }) {
  return (
    <div class="message error" role="status">
      <p>{sentence(error)}</p>
      {problems.length > 0 && <ul class="plain">{problems.map((p) => <li><code>{p.path}</code> {sentence(p)}</li>)}</ul>}
    </div>
  );
}

export function RequestView({ r }: { r: HttpRequest }) {
  return (
    <pre class="http" tabIndex={0} role="region" aria-label="Request as sent">
      <b>{r.method}</b> {r.url}{"\n"}
      {(r.headers ?? []).map(([k, v]) => <><span class="k">{k}</span>: {v}{"\n"}</>)}
      {r.body ? "\n" + pretty(r.body, parseJson) : ""}
    </pre>
  );
}

function Answer({ t, keep }: { t: Try; keep: () => void }) {
  const r = t.response;
  return (
    <>
      <div class="bar">
        <h3>{t.result.is_error ? "Failed" : "Result"}</h3>
        <span class="faint">{r ? `status ${r.status}, ` : ""}{t.ms} ms</span>
        <button type="button" class="small" onClick={keep}>Keep as a test</button>
      </div>
      {t.result.is_error && <Why error={t.result.structured} />}
      <h4>Text, as the model reads it</h4>
      <pre class={t.result.is_error ? "text failed" : "text"} tabIndex={0} role="region" aria-label="Text of the result">{t.result.text || "(empty)"}</pre>
      {t.result.structured !== undefined && t.result.structured !== null && (
        <details open><summary>Structured content</summary><JsonText value={t.result.structured} label="Structured content" /></details>
      )}
      {(t.result.content ?? []).length > 1 && <details><summary>Content</summary><JsonText value={t.result.content} label="Content" /></details>}
      {r && (
        <details>
          <summary>Raw response{r.media_type ? `, ${r.media_type}` : ""}{r.base64 ? ", in base64" : ""}{r.truncated ? ", cut" : ""}</summary>
          <pre class="http" tabIndex={0} role="region" aria-label="Raw response">
            <b>{r.status}</b>{"\n"}
            {(r.headers ?? []).map(([k, v]) => <><span class="k">{k}</span>: {v}{"\n"}</>)}
            {"\n"}{pretty(r.body, parseJson)}
          </pre>
        </details>
      )}
    </>
  );
}

/** What kind of failure it was, and the hint that goes with it. */
function Why({ error }: { error: Json | undefined }) {
  const e = isMap(error) && isMap(error.error) ? error.error : {};
  const word = (key: string) => (typeof e[key] === "string" ? (e[key] as string) : "");
  return (
    <dl>
      <dt>Kind</dt><dd><code>{word("kind") || "unknown"}</code>{word("code") && word("code") !== word("kind") && <>, code <code>{word("code")}</code></>}</dd>
      {word("hint") && <><dt>Hint</dt><dd>{word("hint")}</dd></>}
    </dl>
  );
}

function Confirm({ preview, run, close }: { preview: Preview; run: () => void; close: () => void }) {
  return (
    <Modal title="Send this request?" close={close} wide>
      <p>The tool is not read-only: this changes something on the other side.</p>
      <RequestView r={preview.request} />
      <footer>
        <button type="button" onClick={close} data-first>Cancel</button>
        <button type="button" class="danger" onClick={run}>Send it</button>
      </footer>
    </Modal>
  );
}

function JsonArguments({ value, change }: { value: Values; change: (v: Values) => void }) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState("");
  const read = (t: string) => {
    setText(t);
    try {
      const parsed = parseJson(t);
      if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) throw new Error("arguments are an object");
      setWrong("");
      change(parsed);
    } catch (e) {
      setWrong((e as Error).message);
    }
  };
  return (
    <div class="field">
      <textarea class="mono" rows={6} aria-label="Arguments as JSON" aria-invalid={wrong !== ""} value={text} onInput={(e) => read(e.currentTarget.value)} />
      {wrong && <p class="message error">{wrong}</p>}
    </div>
  );
}

/** The first values of a form: what is required, empty, and what has a default. */
function initial(schema: Schema | undefined): Values {
  const values: Values = {};
  for (const name of schema?.required ?? []) values[name] = empty(schema?.properties?.[name] ?? {});
  return values;
}

function empty(of: Schema): Json {
  const { schema } = plain(of);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum?.length) return schema.enum[0]!;
  switch (schema.type) {
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return initial(schema);
    case "integer":
    case "number":
      return 0;
  }
  return "";
}

/** A schema without its "or null". */
function plain(s: Schema): { schema: Schema; nullable: boolean } {
  const other = s.anyOf?.find((o) => o.type !== "null");
  if (!other) return { schema: s, nullable: false };
  return { schema: { ...s, anyOf: undefined, ...other }, nullable: true };
}

interface FieldsProps {
  schema: Schema;
  value: Values;
  change: (v: Values) => void;
  path: string;
  problems: Problem[];
}

function Fields({ schema, value, change, path, problems }: FieldsProps) {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return <p class="faint">It takes no arguments.</p>;
  const without = (name: string) => {
    const { [name]: _, ...rest } = value;
    return rest;
  };
  return (
    <div class="schema">
      {names.map((name) => {
        const at = path === "" ? name : `${path}.${name}`;
        return (
          <Value
            key={name} name={name} path={at} schema={schema.properties![name]!} required={!!schema.required?.includes(name)} value={value[name]}
            change={(v) => change(v === undefined ? without(name) : { ...value, [name]: v })} problems={problems}
          />
        );
      })}
    </div>
  );
}

interface ValueProps {
  name: string;
  path: string;
  schema: Schema;
  required: boolean;
  value: Json | undefined;
  change: (v: Json | undefined) => void;
  problems: Problem[];
}

function Value(p: ValueProps) {
  const { schema, nullable } = plain(p.schema);
  const id = "try-" + p.path.replace(/[^\w.-]/g, "_");
  const own = p.problems.filter((x) => x.path === p.path);
  const attributes = { id, "aria-invalid": own.length > 0 || undefined, "aria-describedby": id + "-d" };
  return (
    <div class={p.value === undefined ? "field absent" : "field"}>
      <div class="value-head">
        <label for={id}>{p.name}{p.required && <span class="required" title="required"> *</span>}</label>
        <span class="faint type">{schema.type ?? "any"}</span>
        {nullable && <label class="faint"><input type="checkbox" checked={p.value === null} onChange={(e) => p.change(e.currentTarget.checked ? null : empty(schema))} /> null</label>}
        {!p.required && (p.value === undefined
          ? <button type="button" class="link" aria-label={`send ${p.path}`} onClick={() => p.change(empty(schema))}>send</button>
          : <button type="button" class="link" aria-label={`leave out ${p.path}`} onClick={() => p.change(undefined)}>leave out</button>)}
      </div>
      <p class="hint" id={id + "-d"}>{[schema.description ?? p.schema.description, schema.default !== undefined && `default ${JSON.stringify(schema.default)}`].filter(Boolean).join("; ")}</p>
      {p.value === null ? <code id={id}>null</code> : <Control {...p} schema={schema} attributes={attributes} />}
      {own.map((x) => <p class="message error">{sentence(x)}</p>)}
    </div>
  );
}

const isMap = (v: Json | undefined): v is Values => typeof v === "object" && v !== null && !Array.isArray(v);

function Control({ schema, value, change, path, problems, attributes, required }: ValueProps & { attributes: object }) {
  if (schema.enum) {
    const shown = value === undefined ? "" : JSON.stringify(value);
    return (
      <select {...attributes} value={shown} onChange={(e) => change(e.currentTarget.value === "" ? undefined : parseJson(e.currentTarget.value))}>
        {!required && <option value="">not sent</option>}
        {schema.enum.map((v) => <option value={JSON.stringify(v)}>{typeof v === "string" ? v : JSON.stringify(v)}</option>)}
      </select>
    );
  }
  if (schema.type === "boolean") {
    return (
      <select {...attributes} value={value === undefined ? "" : String(value)} onChange={(e) => change(e.currentTarget.value === "" ? undefined : e.currentTarget.value === "true")}>
        {!required && <option value="">not sent</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  if (schema.type === "array" && (value === undefined || Array.isArray(value))) return <Elements schema={schema} value={value ?? []} change={change} path={path} problems={problems} />;
  if (schema.type === "object" && schema.properties && Object.keys(schema.properties).length > 0) {
    return <div class="nested"><Fields schema={schema} value={isMap(value) ? value : {}} change={change} path={path} problems={problems} /></div>;
  }
  if (schema.contentEncoding === "base64") return <FileControl attributes={attributes} value={value} change={change} />;
  if (schema.type === "object" || schema.type === undefined || schema.type === "array") return <JsonControl attributes={attributes} value={value} change={change} />;
  const number = schema.type === "integer" || schema.type === "number";
  const read = (t: string): Json => (number && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(t) && !/^-?0\d/.test(t) ? parseJson(t) : t);
  const shown = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const placeholder = value === undefined ? "not sent" : (schema.examples ?? []).map((e) => (typeof e === "string" ? e : JSON.stringify(e)))[0];
  if (!number && shown.length > 60 || shown.includes("\n")) return <textarea {...attributes} rows={4} value={shown} onInput={(e) => change(e.currentTarget.value)} />;
  return <input {...attributes} inputMode={number ? "decimal" : undefined} value={shown} placeholder={placeholder} autocomplete="off" onInput={(e) => change(read(e.currentTarget.value))} />;
}

function Elements({ schema, value, change, path, problems }: { schema: Schema; value: Json[]; change: (v: Json) => void; path: string; problems: Problem[] }) {
  const items = schema.items ?? {};
  return (
    <div class="nested">
      {value.map((v, i) => (
        <Value key={i} name={`[${i}]`} path={`${path}[${i}]`} schema={items} required={false} value={v} problems={problems}
          change={(n) => change(n === undefined ? value.toSpliced(i, 1) : value.with(i, n))} />
      ))}
      <button type="button" class="small" id={"try-" + path.replace(/[^\w.-]/g, "_")} onClick={() => change([...value, empty(items)])}><Icon name="plus" /> Add an element</button>
    </div>
  );
}

function FileControl({ attributes, value, change }: { attributes: object; value: Json | undefined; change: (v: Json) => void }) {
  const read = async (file: File | undefined) => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    change(btoa(text));
  };
  const size = typeof value === "string" ? Math.floor((value.length * 3) / 4) : 0;
  return (
    <>
      <input type="file" {...attributes} onChange={(e) => void read(e.currentTarget.files?.[0])} />
      {size > 0 && <span class="faint">≈ {size.toLocaleString("en")} bytes</span>}
    </>
  );
}

function JsonControl({ attributes, value, change }: { attributes: object; value: Json | undefined; change: (v: Json | undefined) => void }) {
  const first = useMemo(() => (value === undefined ? "" : JSON.stringify(value)), []);
  const [text, setText] = useState(first);
  const [wrong, setWrong] = useState(false);
  const read = (t: string) => {
    setText(t);
    try {
      change(t.trim() === "" ? undefined : parseJson(t));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <>
      <textarea class="mono" rows={2} {...attributes} placeholder="JSON" value={text} onInput={(e) => read(e.currentTarget.value)} />
      {wrong && <p class="message error">this is no JSON</p>}
    </>
  );
}

