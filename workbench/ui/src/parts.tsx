// Small parts that many screens use.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { notify, replaceText, settled } from "./actions";
import { allDiagnostics, now } from "./store";
import { fixOf } from "./text";
import type { Diagnostic, Hunk, Severity } from "./api";

const paths = {
  search: "M7 2a5 5 0 1 0 3 9l3.5 3.5M7 2a5 5 0 0 1 3 9",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  error: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 5v3.6M8 11h.01",
  warning: "M8 2.2L1.8 13.4h12.4zM8 6.6v3.2M8 11.7h.01",
  note: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8M8 7.6V11M8 5h.01",
  auto: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9",
  undo: "M3 6h6.5a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3",
  redo: "M13 6H6.500a3.500 3.500 0 0 0 0 7H10M13 6l-3-3M13 6l-3 3",
  ok: "M3 8.500l3.500 3.500 6.500-8",
  play: "M5 3l8 5-8 5z",
};

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={"icon " + name} viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick: (e: MouseEvent) => void;
  keys?: string;
  disabled?: boolean;
  [attribute: string]: unknown;
}

export const IconButton = ({ icon, label, keys, ...rest }: IconButtonProps) => (
  <button type="button" class="icon-button" aria-label={label} title={keys ? `${label} (${keys})` : label} {...rest}>
    <Icon name={icon} />
  </button>
);

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      notify("The browser does not allow copying here: select the text and copy it");
    }
  };
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      <Icon name={done ? "ok" : "copy"} /> <span aria-live="polite">{done ? "Copied" : label}</span>
    </button>
  );
}

/** Mends what a message is about, where it can. The button goes with its message, so then takes the focus elsewhere. */
export function FixButton({ d, text, then }: { d: Diagnostic; text: string | undefined; then: () => void }) {
  const fix = text === undefined ? null : fixOf(text, d);
  if (!fix) return null;
  const apply = async () => {
    await settled(); // a change of the form that waits would be made once more, on the mended text
    const work = now().works[d.file];
    const all = allDiagnostics(now());
    const still = all.includes(d) ? d : all.find((other) => other.file === d.file && other.rule === d.rule && other.message === d.message);
    const there = work && still && fixOf(work.text, still);
    if (!there) return;
    replaceText(d.file, work.text.slice(0, there.from) + there.insert + work.text.slice(there.to));
    then();
  };
  return <button type="button" class="small fix" onClick={() => void apply()}>{fix.label}</button>;
}

export function Counts({ errors, warnings, notes = 0 }: { errors: number; warnings: number; notes?: number }) {
  const one = (severity: Severity, n: number) =>
    n > 0 && (
      <span class={"count " + severity} title={`${n} ${severity}${n > 1 ? "s" : ""}`}>
        <Icon name={severity} />
        {n}<span class="told"> {severity}{n > 1 ? "s" : ""}</span>
      </span>
    );
  return <>{one("error", errors)}{one("warning", warnings)}{one("note", notes)}</>;
}

export interface Tab<T extends string> {
  name: T;
  label: ComponentChildren;
}

/** A list of tabs, moved through with the arrow keys; controls is the id of what they show. */
export function Tabs<T extends string>(p: { label: string; tabs: Tab<T>[]; current: T; choose: (name: T) => void; controls: string; id: string }) {
  const row = useRef<HTMLDivElement>(null);
  const move = (e: KeyboardEvent) => {
    const at = p.tabs.findIndex((t) => t.name === p.current);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const to = e.key === "Home" ? 0 : e.key === "End" ? p.tabs.length - 1 : step ? (at + step + p.tabs.length) % p.tabs.length : -1;
    if (to < 0) return;
    e.preventDefault();
    p.choose(p.tabs[to]!.name);
    (row.current?.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={p.label} ref={row} onKeyDown={move}>
      {p.tabs.map((t) => (
        <button
          type="button" role="tab" id={`${p.id}-${t.name}`} aria-selected={t.name === p.current} aria-controls={t.name === p.current ? p.controls : undefined}
          tabIndex={t.name === p.current ? 0 : -1} onClick={() => p.choose(t.name)}
        >
          {t.label}
        </button>
      ))}
    </div>
  );
}

/** A modal dialog; the browser keeps the focus in it, and Escape closes it. */
export function Modal({ title, close, children, wide, class: cls }: { title: string; close: () => void; children: ComponentChildren; wide?: boolean; class?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => { // the focus is back before the next key is handled
    const before = document.activeElement as HTMLElement | null;
    const d = dialog.current!;
    d.showModal();
    d.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => {
      d.close();
      before?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog} class={[wide ? "wide" : "", cls].filter(Boolean).join(" ")} aria-labelledby="dialog-title"
      onCancel={(e) => { e.preventDefault(); close(); }} onMouseDown={(e) => { if (e.target === dialog.current) close(); }}
    >
      <div class="dialog">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <IconButton icon="close" label="Close" keys="Escape" onClick={close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** JSON with its parts in colours; always as text. */
export function JsonText({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return <pre class="json" tabIndex={0} role="region" aria-label={label}>{coloured(text)}</pre>;
}

const colouredLimit = 100_000; // characters; more is shown plain

function coloured(text: string): ComponentChildren {
  if (text.length > colouredLimit) return text;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const m of text.matchAll(/("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    parts.push(text.slice(at, m.index), <span class={m[2] ? "k" : m[1] ? "s" : "n"}>{m[1] ?? m[0]}</span>, m[2] ?? "");
    at = m.index + m[0].length;
  }
  return [...parts, text.slice(at)];
}

export function pretty(text: string, parse: (t: string) => unknown): string {
  try {
    return JSON.stringify(parse(text), null, 2);
  } catch {
    return text;
  }
}

export function Hunks({ hunks }: { hunks: Hunk[] }) {
  const sign: Record<string, string> = { "+": "added", "-": "removed" };
  return (
    <div class="diff" tabIndex={0} role="region" aria-label="Differences">
      {hunks.map((h) => (
        <div class="hunk">
          <div class="at">line {h.new_start}</div>
          {h.lines.map((l) => (
            <div class={sign[l[0] ?? ""] ?? ""}>
              <span class="sign">{l[0] ?? " "}</span>
              <span class="said">{l.slice(1) || " "}</span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Runs a request of the API for as long as its inputs stay, after a quiet moment. */
export function useRequest<T>(inputs: unknown[], wait: number, run: ((signal: AbortSignal) => Promise<T>) | null) {
  const [state, setState] = useState<{ value: T | null; error: Error | null; busy: boolean }>({ value: null, error: null, busy: run !== null });
  useEffect(() => {
    if (!run) return setState({ value: null, error: null, busy: false });
    const abort = new AbortController();
    setState((s) => ({ ...s, busy: true }));
    const timer = setTimeout(() => {
      run(abort.signal).then(
        (value) => !abort.signal.aborted && setState({ value, error: null, busy: false }),
        (error) => !abort.signal.aborted && setState((s) => ({ value: s.value, error, busy: false })),
      );
    }, wait);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, inputs);
  return state;
}

