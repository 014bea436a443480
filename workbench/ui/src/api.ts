// The calls of the workbench's HTTP API (docs/workbench.md) and the types of what they carry.

export type Severity = "error" | "warning" | "note";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Step = string | number;
/** Line, column, end line, end column: from 1, columns in code points, the end exclusive. */
export type Span = [number, number, number, number];

export interface Place {
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export interface Diagnostic extends Place {
  severity: Severity;
  rule: string;
  message: string;
  hint?: string;
  related?: (Place & { message: string })[] | null;
}

export interface ToolSummary {
  name: string;
  title: string;
  description: string;
  api: string;
  method: string;
  path: string;
  tags: string[] | null;
  file: string;
  line: number;
  read_only: boolean;
  destructive: boolean;
  tokens: number;
  deprecated: boolean;
  errors: number;
  warnings: number;
  notes: number;
  tests: number;
}

export interface Argument {
  name: string;
  type: string;
  description: string;
  required: boolean;
  nullable: boolean;
  default?: Json;
  enum?: Json[] | null;
  examples?: Json[] | null;
  in?: string;
  as?: string;
  style?: string;
  items?: Argument | null;
  properties?: Argument[] | null;
  constraints?: Record<string, string> | null;
  source?: string;
  filename?: string;
  media_type?: string;
  max_bytes?: string | number;
  place?: string;
  line: number;
}

export interface Form {
  index: number;
  name: string;
  title: string;
  description: string;
  api: string;
  tags: string[] | null;
  file_tags: string[] | null; // of the head of the file; they count too
  method: string;
  path: string;
  encoding: string;
  arguments: Argument[] | null;
  response: Record<string, Json> | null;
  from_head: string[] | null;
  lines: Record<string, Span> | null;
  [key: string]: unknown;
}

/** A JSON Schema, as far as the page reads it. */
export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: Json[];
  default?: Json;
  examples?: Json[];
  anyOf?: Schema[];
  contentEncoding?: string;
  format?: string;
}

export interface Definition {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Schema;
  [key: string]: unknown;
}

export interface ToolCheck {
  summary: ToolSummary;
  form: Form;
  definition: Definition | null;
  tokens: number;
}

export interface Check {
  diagnostics: Diagnostic[];
  tools: ToolCheck[];
  parses: boolean;
}

export interface FileInfo {
  path: string;
  etag: string;
  tools: number;
  errors: number;
  warnings: number;
}

export interface LanguageKey {
  key: string;
  where: string;
  about: string;
  values?: string[] | null;
}

export interface Catalogue {
  name: string;
  version: string;
  apis: { name: string; base_url: string; auth: string | null }[];
  config: { path: string; text: string };
  files: FileInfo[];
  tools: ToolSummary[];
  diagnostics: Diagnostic[];
  keys: LanguageKey[];
}

export interface Change {
  op: "set" | "insert" | "remove" | "move" | "rename" | "add_tool" | "remove_tool" | "duplicate_tool";
  tool?: number;
  at?: Step[];
  value?: Json;
  raw?: string;
  index?: number;
  to?: number;
  name?: string;
}

export interface Hunk {
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  lines: string[];
}
export interface Diff {
  hunks: Hunk[] | null;
  added: number;
  removed: number;
}

export interface HttpRequest {
  method: string;
  url: string;
  headers: [string, string][] | null;
  body: string | null;
}
export interface Preview {
  request: HttpRequest;
  curl: string;
  hash: string;
  safe: boolean;
}
export interface Try {
  arguments: Json; // without the secrets in them
  request: HttpRequest;
  response: {
    status: number;
    headers: [string, string][] | null;
    body: string;
    base64?: boolean; // of bytes that are no text
    truncated?: boolean;
    media_type?: string;
  } | null;
  result: { text: string; structured?: Json; content?: Json[] | null; is_error: boolean };
  ms: number;
}
export interface TestResult {
  tool: string;
  name: string;
  passed: boolean;
  diff?: { what: string; expected: string; got: string }[] | null;
  line: number;
}
export interface Save {
  id: string;
  at: string;
  bytes: number;
  note?: string;
}

/** An answer of the API that is no success, or none at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly body: Record<string, any>,
  ) {
    super(message);
  }
}

type Reviver = (this: unknown, key: string, value: any, context?: { source?: string }) => any;
const raw = (JSON as any).rawJSON as ((text: string) => Json) | undefined;

/** Reads JSON and keeps each digit: a number that JavaScript would round stays as it is written. */
export function parseJson(text: string): any {
  const keep: Reviver = (_key, value, context) =>
    typeof value === "number" && raw && context?.source && String(value) !== context.source ? raw(context.source) : value;
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

const tokenKey = "tbridge:token";

/** Takes the token out of the address, where it would be seen, into this tab's storage. */
export function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, "", location.pathname + location.search);
}

function request(method: string, route: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const all: Record<string, string> = { ...headers, Authorization: "Bearer " + (sessionStorage.getItem(tokenKey) ?? "") };
  if (method !== "GET") all["Content-Type"] = "application/json";
  return fetch("/api/" + route, {
    method,
    headers: all,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: "no-store",
    credentials: "omit",
  });
}

async function call<T>(...args: Parameters<typeof request>): Promise<T> {
  let answer: Response;
  let text: string;
  try {
    answer = await request(...args);
    text = await answer.text();
  } catch (e) {
    if ((e as Error).name === "AbortError") throw e;
    throw new ApiError(0, "unreachable", "the workbench does not answer", "is tbridge workbench still running?", {});
  }
  let json: any = {};
  try {
    json = text === "" ? {} : parseJson(text);
  } catch {
    throw new ApiError(answer.status, "bad_answer", "the workbench answered with what is no JSON", "", {});
  }
  if (answer.ok) return json;
  const error = typeof json.error === "object" && json.error ? json.error : { message: json.error };
  throw new ApiError(answer.status, error.code ?? "", error.message ?? "status " + answer.status, error.hint ?? "", json);
}

const escaped = (path: string) => path.split("/").map(encodeURIComponent).join("/");
const ifMatch = (etag: string | null): Record<string, string> =>
  etag === null ? { "If-None-Match": "*" } : { "If-Match": /^(W\/)?"/.test(etag) ? etag : `"${etag}"` };

export interface Draft {
  path: string;
  text: string;
}

export const api = {
  catalogue: () => call<Catalogue>("GET", "catalogue"),
  file: (path: string) => call<{ path: string; text: string; etag: string }>("GET", "files/" + escaped(path)),
  check: (d: Draft, signal?: AbortSignal) => call<Check>("POST", "check", d, {}, signal),
  edit: (d: Draft, changes: Change[]) => call<{ text: string; check: Check }>("POST", "edit", { ...d, changes }),
  save: (d: Draft, etag: string | null) =>
    call<{ etag: string; diagnostics: Diagnostic[] | null }>("PUT", "files/" + escaped(d.path), { text: d.text }, ifMatch(etag)),
  deleteFile: (path: string, etag: string) => call<unknown>("DELETE", "files/" + escaped(path), undefined, ifMatch(etag)),
  diff: (d: Draft) => call<Diff>("POST", "diff", d),
  preview: (d: Draft, tool: string, args: Json, signal?: AbortSignal) =>
    call<Preview>("POST", "preview", { ...d, tool, arguments: args }, {}, signal),
  try: (d: Draft, tool: string, args: Json, hash: string) => call<Try>("POST", "try", { ...d, tool, arguments: args, hash }),
  test: (d: Draft, tool: string, signal?: AbortSignal) =>
    call<{ tests: TestResult[] | null }>("POST", "test", { ...d, tool }, {}, signal),
  keepTest: (d: Draft, tool: string, t: Try) =>
    call<{ text: string }>("POST", "keep-test", { ...d, tool, arguments: t.arguments, response: t.response, result: t.result }),
  importCurl: (d: Draft, command: string, name: string) =>
    call<{ text: string; tool: number; notes: string[] | null }>("POST", "import/curl", { ...d, command, name: name || undefined }),
  exportTool: (d: Draft, tool: string, format: string, signal?: AbortSignal) =>
    call<{ text: string }>("POST", "export", { ...d, tool, format }, {}, signal),
  history: (path: string) => call<{ saves: Save[] | null }>("GET", "history/" + escaped(path)),
  historyEntry: (id: string) => call<{ path: string; text: string }>("GET", "history-entry/" + encodeURIComponent(id)),
};

/** Reads the stream of events until it ends or signal aborts, and hands each on. */
export async function readEvents(signal: AbortSignal, open: () => void, changed: (path: string, etag: string | null) => void) {
  const answer = await request("GET", "events", undefined, {}, signal);
  if (!answer.ok || !answer.body) throw new ApiError(answer.status, "events", "no events", "", {});
  open();
  const reader = answer.body.pipeThrough(new TextDecoderStream() as any).getReader() as ReadableStreamDefaultReader<string>;
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).replace(/\r\n/g, "\n").split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const lines = part.split("\n");
      const data = lines.filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trim());
      if (!lines.some((l) => /^event:\s*changed$/.test(l)) || data.length === 0) continue;
      const event = JSON.parse(data.join("\n"));
      changed(event.path, event.etag ?? null);
    }
  }
}
