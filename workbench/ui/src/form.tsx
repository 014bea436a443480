// The form of a tool. It holds nothing of its own: it shows the text's values, and changes them there.
import { useContext, useMemo } from "preact/hooks";
import type { Diagnostic, Form as FormModel, Step, ToolCheck } from "./api";
import { Arguments } from "./arguments";
import { deleteTool, duplicateTool, remove, set } from "./actions";
import { about, ChoiceField, Field, Message, Problems, Scope, TextField, useField, useTyped, YamlField, type FormScope } from "./fields";
import { IconButton, Icon } from "./parts";
import { currentTool, currentWork, update, useStore } from "./store";
import { nearest } from "./text";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const encodings = ["json", "form", "multipart", "text", "xml", "ndjson", "bytes"];

export function FormPane() {
  const tool = useStore(currentTool);
  const work = useStore(currentWork);
  const path = useStore((s) => s.path);
  const opening = useStore((s) => s.opening);
  if (path === "") return <ConfigHelp />;
  if (opening && !tool) return <p class="empty" role="status">Opening…</p>;
  if (!work) return <Welcome />;
  if (!tool) return <NoTool broken={work.check?.parses === false} empty={work.tools.length === 0} />;
  return <ToolForm key={`${work.path}#${tool.form.index}`} tool={tool} broken={work.check?.parses === false} />;
}

function Welcome() {
  const first = useStore((s) => s.catalogue?.files.length === 0);
  return (
    <div class="empty">
      {first ? <p><b>There are no tools yet.</b> A tool is one endpoint of an API that a model can call.<br />Begin with a template, or paste a curl command.</p> : <p>Choose a tool in the list, or add one.</p>}
      <button type="button" class={first ? "primary" : ""} onClick={() => update({ dialog: { kind: "add" } })}><Icon name="plus" /> Add a tool</button>
    </div>
  );
}

function ConfigHelp() {
  const apis = useStore((s) => s.catalogue!.apis);
  return (
    <div class="form about">
      <h2>tbridge.yaml</h2>
      <p>It says what the bridge may talk to. It holds hosts and the sources of credentials, and is edited by those who hold them, not here. Tools name its APIs.</p>
      <ul>
        {apis.map((a) => (
          <li>
            <h3 class="mono">{a.name}</h3>
            <dl><dt>Address</dt><dd><code>{a.base_url}</code></dd><dt>Credential</dt><dd>{a.auth ? <code>{a.auth}</code> : "none"}</dd></dl>
          </li>
        ))}
      </ul>
    </div>
  );
}

function NoTool({ broken, empty }: { broken: boolean; empty: boolean }) {
  if (broken) return <div class="empty"><p>The file cannot be read as YAML. Mend it in the YAML; the problems below say where.</p></div>;
  return (
    <div class="empty">
      <p>{empty ? "This file holds no tools yet." : "Choose one of the file's tools in the list."}</p>
      <button type="button" onClick={() => update({ dialog: { kind: "add" } })}><Icon name="plus" /> Add a tool</button>
    </div>
  );
}

/** The keys of rules that stand at the name of a tool because what they are about is not there. */
const elsewhere: Record<string, string> = {
  "no-description": "description", "unknown-api": "api", method: "method", "open-arguments": "arguments", "unprojected-list": "response", untested: "", tokens: "",
};

/** The problems of a tool by the field that they are about; "" are those of the tool as a whole. */
function byField(found: Diagnostic[], tool: ToolCheck, next: number): Map<string, Diagnostic[]> {
  const by = new Map<string, Diagnostic[]>();
  for (const d of found) {
    if (d.file !== tool.summary.file || d.line < tool.summary.line || d.line >= next) continue;
    const at = nearest(tool.form.lines ?? {}, d.line, d.column);
    const key = at === "name" ? (elsewhere[d.rule] ?? at) : at;
    by.set(key, [...(by.get(key) ?? []), d]);
  }
  return by;
}

function ToolForm({ tool, broken }: { tool: ToolCheck; broken: boolean }) {
  const work = useStore(currentWork)!;
  const active = useStore((s) => s.field);
  const editErrors = useStore((s) => s.editErrors);
  const { form } = tool;
  const scope: FormScope = useMemo(() => {
    const next = work.tools.find((t) => t.summary.line > tool.summary.line)?.summary.line ?? Infinity;
    const problems = byField(work.check?.diagnostics ?? [], tool, next);
    return { tool: form.index, problems: shown(problems, form), editErrors, active, head: new Set((form.from_head ?? []).filter((k) => k !== "tags")), keys: form.lines ?? {} };
  }, [tool, work.check, editErrors, active]);
  const refused = editErrors[form.index + ":"];

  return (
    <Scope.Provider value={scope}>
      <form class="form" onSubmit={(e) => e.preventDefault()} aria-label={"Form of " + form.name}>
        <div class="form-head">
          <h2>{form.name || "(no name)"}</h2>
          <IconButton icon="copy" label="Duplicate the tool" onClick={() => void duplicateTool()} />
          <IconButton icon="trash" label="Delete the tool" onClick={deleteTool} />
        </div>
        {broken && <p class="message error">The YAML cannot be read at the moment. Mend it there first; this form shows it as it last was.</p>}
        {refused && <p class="message error">{refused}</p>}
        {(scope.problems.get("") ?? []).map((d) => <Message d={d} />)}
        <fieldset disabled={broken} class="bare">
          <legend class="told">Tool {form.name}</legend>
          <Identity form={form} />
          <Section title="Arguments" open keys={["arguments"]} note={form.arguments?.length ? String(form.arguments.length) : form.arguments ? "none" : "open"}>
            <Arguments form={form} />
          </Section>
          <Request form={form} />
          <Response form={form} />
          <More form={form} />
        </fieldset>
      </form>
    </Scope.Provider>
  );
}

/** Problems whose key has no field of its own stand under the nearest that has one, or at the head. */
function shown(problems: Map<string, Diagnostic[]>, form: FormModel): Map<string, Diagnostic[]> {
  const top = new Set(["name", "title", "description", "api", "tags", "method", "path", "encoding", "content_type", "deprecated", ...parts, ...limits, "one_of", "scopes"]);
  const out = new Map<string, Diagnostic[]>();
  for (const [key, found] of problems) {
    const steps = key.split(".");
    let at = key;
    if (steps[0] === "arguments") at = form.arguments && steps.length > 1 ? argumentKey(steps) : "arguments";
    else if (steps[0] === "response") at = steps.length > 1 ? steps.slice(0, 2).join(".") : "response";
    else at = top.has(steps[0]!) ? steps[0]! : "";
    out.set(at, [...(out.get(at) ?? []), ...found]);
  }
  return out;
}

/** arguments.0.enum.1 is shown at arguments.0.enum, arguments.0.properties.1.type at itself. */
function argumentKey(steps: string[]): string {
  let n = 0;
  while (n < steps.length) {
    const list = steps[n] === "arguments" || steps[n] === "properties";
    if (!list && steps[n] !== "items") return steps.slice(0, n + 1).join(".");
    n += list ? 2 : 1;
  }
  return steps.slice(0, n).join(".");
}

/** A part of the form that can be folded. It opens for a problem in one of its keys, and for the caret of the YAML. */
function Section({ title, note, open, keys, children }: { title: string; note?: string; open?: boolean; keys: string[]; children: preact.ComponentChildren }) {
  const scope = useContext(Scope);
  const mine = (k: string) => keys.includes(k.split(".")[0]!);
  return (
    <details class="section" open={open || mine(scope.active) || [...scope.problems.keys()].some(mine)}>
      <summary><h3>{title}</h3>{note && <span class="faint">{note}</span>}</summary>
      <div class="body">{children}</div>
    </details>
  );
}

const textOf = (v: unknown): string => (v === null || v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v));

function Identity({ form }: { form: FormModel }) {
  const apis = useStore((s) => s.catalogue?.apis ?? none);
  return (
    <div class="grid identity">
      <TextField label="Name" at={["name"]} value={form.name} mono required />
      <TextField label="Title" at={["title"]} value={form.title} placeholder="for people" />
      <TextField label="Description" at={["description"]} value={form.description} lines class="wide" placeholder="what the model reads: what the tool does, and when to use it" />
      <div class="line wide">
        <ChoiceField label="API" at={["api"]} value={form.api} options={apis.map((a) => a.name)} none="(none)" />
        <ChoiceField label="Method" at={["method"]} value={form.method} options={methods} />
        <TextField label="Path" at={["path"]} value={form.path} mono placeholder="/tasks/{task_id}" class="grow" />
      </div>
      <WordsField label="Tags" at={["tags"]} value={form.tags ?? []} hint={form.file_tags?.length ? `besides ${form.file_tags.join(", ")}, from the head of the file` : undefined} />
      <TextField label="Deprecated" at={["deprecated"]} value={textOf(form.deprecated)} placeholder="what to use instead" />
    </div>
  );
}
const none: never[] = [];

/** A list of words, written with commas. */
export function WordsField({ label, at, value, hint }: { label: string; at: Step[]; value: string[]; hint?: string }) {
  const words = (v: string) => v.split(",").map((w) => w.trim()).filter(Boolean);
  return (
    <Field label={label} at={at} hint={hint}>
      {(of) => {
        const put = (v: string) => void (words(v).length > 0 ? set(at, words(v)) : of.present && remove(at));
        return <WordsInput value={value.join(", ")} put={put} attributes={about(of, !!hint)} />;
      }}
    </Field>
  );
}

function WordsInput({ value, put, attributes }: { value: string; put: (v: string) => void; attributes: object }) {
  return <input {...attributes} {...useTyped(value, put)} placeholder="a, b" autocomplete="off" />;
}

const parts = ["query", "headers", "cookies", "body"];
const partHints: Record<string, string> = {
  query: "constants and templates: sort: created",
  headers: "X-Agent: \"{vars.agent}\"",
  cookies: "session: \"{session}\"",
  body: "arguments without a place of their own are merged into it",
};

function Request({ form }: { form: FormModel }) {
  const used = parts.filter((p) => form[p]);
  return (
    <Section title="Request" open={used.length > 0} keys={[...parts, "encoding", "content_type", "one_of"]} note={used.join(", ") || "by rule: from method and path"}>
      <div class="grid">
        <ChoiceField label="Encoding of the body" at={["encoding"]} value={textOf(form.encoding)} options={encodings} none="json (default)" />
        <TextField label="Content type" at={["content_type"]} value={textOf(form.content_type)} mono raw placeholder="by encoding" />
        {parts.map((p) => <YamlField label={p[0]!.toUpperCase() + p.slice(1)} at={[p]} value={textOf(form[p])} hint={partHints[p]} />)}
        <WordsField label="Exactly one of" at={["one_of"]} value={list(form.one_of)} hint="arguments of which one must be given" />
      </div>
    </Section>
  );
}

const list = (v: unknown): string[] => (Array.isArray(v) ? v.map(String) : []);

function Response({ form }: { form: FormModel }) {
  const r = form.response ?? {};
  const used = Object.keys(r).filter((k) => r[k] !== null && r[k] !== "" && r[k] !== undefined);
  return (
    <Section title="Response" open={used.length > 0} keys={["response"]} note={used.join(", ") || "the whole answer"}>
      <Problems of={useField(["response"])} />
      <div class="grid">
        <TextField label="Text" at={["response", "text"]} value={textOf(r.text)} lines mono class="wide" placeholder="✅ Task {key} taken" hint="what the model reads; holes are paths into the projected value" />
        <TextField label="Each" at={["response", "each"]} value={textOf(r.each)} lines mono class="wide" placeholder="- {id}: {title}" hint="a line for each element of the list" />
        <YamlField label="Projection" at={["response", "projection"]} value={textOf(r.projection)} hint="a gjson path, or a mapping of fields to paths" />
        <TextField label="List" at={["response", "list"]} value={textOf(r.list)} mono raw placeholder="the value itself" />
        <TextField label="Elements at most" at={["response", "max_items"]} value={textOf(r.max_items)} mono raw />
        <ChoiceField label="Content" at={["response", "content"]} value={textOf(r.content)} options={["auto", "json", "text", "file"]} none="auto (default)" />
        <ChoiceField label="Check of output" at={["response", "check"]} value={textOf(r.check)} options={["warn", "strict", "off"]} none="warn (default)" />
        <YamlField label="Output" at={["response", "output"]} value={textOf(r.output)} hint="an array like arguments that describes the result" />
      </div>
    </Section>
  );
}

const limits = ["errors", "error_text", "timeout", "retry", "limits", "annotations", "envelope"];

function More({ form }: { form: FormModel }) {
  const used = [...limits, "scopes"].filter((k) => form[k] && (form.lines ?? {})[k]);
  return (
    <Section title="Failures, limits, access" open={used.length > 0} keys={[...limits, "scopes"]} note={used.join(", ")}>
      <div class="grid">
        <TextField label="Timeout" at={["timeout"]} value={textOf(form.timeout)} mono raw placeholder="30s" />
        <TextField label="Error text" at={["error_text"]} value={textOf(form.error_text)} mono placeholder="❌ {message}" />
        <YamlField label="Errors" at={["errors"]} value={textOf(form.errors)} hint="rows {status, code, kind, hint}; the first that matches wins" />
        <YamlField label="Envelope" at={["envelope"]} value={textOf(form.envelope)} />
        <YamlField label="Retry" at={["retry"]} value={textOf(form.retry)} hint="{attempts: 3, statuses: [503]}" />
        <YamlField label="Limits" at={["limits"]} value={textOf(form.limits)} hint="{response: 16MiB, result: 256KiB, rate: 20/s}" />
        <YamlField label="Annotations" at={["annotations"]} value={textOf(form.annotations)} hint="{read_only: true}; by default from the method" />
        <WordsField label="Scopes" at={["scopes"]} value={list(form.scopes)} hint="what a caller over HTTP must hold" />
      </div>
    </Section>
  );
}

