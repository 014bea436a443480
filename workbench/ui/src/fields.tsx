// The fields of the form: each shows a value of the text, and changes it there.
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Diagnostic, Step } from "./api";
import { focusField, goTo, remove, reveal, set, setRaw, settled } from "./actions";
import { common, editing, wrapping } from "./codemirror";
import { lf, range, replacement, sentence } from "./text";
import { now, update } from "./store";
import { FixButton } from "./parts";

export interface FormScope {
  tool: number;
  problems: Map<string, Diagnostic[]>; // by the key of the field they are about
  editErrors: Record<string, string>;
  active: string; // the key in which the caret of the YAML stands
  head: Set<string>; // keys that come from the head of the file
  keys: Record<string, unknown>; // keys that are in the text
}

export const Scope = createContext<FormScope>(null as unknown as FormScope);

const keyOf = (at: Step[]) => at.join(".");

/** What is wrong with a field, and whether the caret stands in it. */
export function useField(at: Step[]) {
  const scope = useContext(Scope);
  const key = keyOf(at);
  const problems = scope.problems.get(key) ?? [];
  const refused = scope.editErrors[`${scope.tool}:${key}`];
  return {
    key,
    id: `f-${key.replace(/[^\w.-]/g, "_")}`,
    problems,
    refused,
    wrong: refused !== undefined || problems.some((d) => d.severity === "error"),
    active: scope.active === key,
    inherited: scope.head.has(key),
    present: key in scope.keys,
  };
}

type FieldState = ReturnType<typeof useField>;

/** Tells the YAML which field has the focus. */
export const focused = (key: string) => {
  if (now().field !== key) update({ field: key });
  reveal("field");
};

/** The messages under a field. */
export function Problems({ of }: { of: FieldState }) {
  if (of.problems.length === 0 && of.refused === undefined) return null;
  return (
    <div class="messages" id={of.id + "-m"}>
      {of.refused !== undefined && <p class="message error">{of.refused}</p>}
      {of.problems.map((d) => (
        <Message d={d} field={of.key} />
      ))}
    </div>
  );
}

export function Message({ d, field }: { d: Diagnostic; field?: string }) {
  return (
    <p class={"message " + d.severity}>
      <button class="plain" title="Go to the place" onClick={() => void goTo(d.file, d.line, d.column, (t) => range(t, d))}>
        {sentence(d)}
      </button>
      <FixButton d={d} text={now().works[d.file]?.text} then={() => focusField(field ?? "name")} />
    </p>
  );
}

interface FieldProps {
  label: string;
  at: Step[];
  hint?: string;
  class?: string;
  children: (of: FieldState) => ComponentChildren;
}

/** A label, a control and what is wrong with it. */
export function Field({ label, at, hint, class: cls, children }: FieldProps) {
  const of = useField(at);
  return (
    <div class={["field", cls, of.active && "active"].filter(Boolean).join(" ")} data-key={of.key}>
      <label for={of.id}>
        {label}
        {of.inherited && <span class="badge" title="Given at the head of the file; set here, it counts for this tool alone">file</span>}
      </label>
      {children(of)}
      {hint && <p class="hint" id={of.id + "-h"}>{hint}</p>}
      <Problems of={of} />
    </div>
  );
}

/** What the attributes of a control say of its field. */
export const about = (of: FieldState, hint?: boolean) => ({
  id: of.id,
  "aria-invalid": of.wrong || undefined,
  "aria-describedby": [hint && of.id + "-h", (of.problems.length > 0 || of.refused !== undefined) && of.id + "-m"].filter(Boolean).join(" ") || undefined,
  onFocus: () => focused(of.key),
});

/** The text of a control: as typed while it is typed in, as the file has it otherwise. */
export function useTyped(value: string, commit: (v: string) => void, done?: (v: string) => void) {
  const [local, setLocal] = useState<string | null>(null);
  return {
    value: local ?? value,
    onInput: (e: { currentTarget: { value: string } }) => {
      setLocal(e.currentTarget.value);
      commit(e.currentTarget.value);
    },
    onBlur: (e: { currentTarget: { value: string } }) => {
      if (local !== null) done?.(e.currentTarget.value);
      void settled().then(() => setLocal(null));
    },
  };
}

interface TextProps {
  label: string;
  at: Step[];
  value: string;
  hint?: string;
  bare?: boolean; // the label is not shown, only told
  lines?: boolean; // grows with its text
  mono?: boolean;
  required?: boolean; // stays in the file when it is empty
  raw?: boolean; // the text is YAML, not the value
  list?: string;
  placeholder?: string;
  class?: string;
}

/** A text of the tool. An optional one that is emptied goes from the file. */
export function TextField(p: TextProps) {
  return p.bare ? <BareText {...p} of={useField(p.at)} /> : (
    <Field label={p.label} at={p.at} hint={p.hint} class={p.class}>{(of) => <BareText {...p} of={of} />}</Field>
  );
}

function BareText({ of, ...p }: TextProps & { of: FieldState }) {
  const put = (v: string) => void (p.raw ? (v.trim() === "" ? undefined : setRaw(p.at, v)) : set(p.at, v));
  const typed = useTyped(p.value, put, (v) => void (v === "" && !p.required && of.present && remove(p.at)));
  const shared = {
    ...about(of, !!p.hint),
    ...typed,
    class: p.mono ? "mono" : undefined,
    placeholder: p.placeholder,
    "aria-label": p.bare ? p.label : undefined,
    "data-key": p.bare ? of.key : undefined,
  };
  if (!p.lines) return <input {...shared} list={p.list} autocomplete="off" spellcheck={!p.mono} />;
  return <GrowingText {...shared} />;
}

function GrowingText(p: Record<string, unknown> & { value: string }) {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const b = box.current!;
    b.style.height = "auto";
    b.style.height = b.scrollHeight + 2 + "px";
  }, [p.value]);
  return <textarea rows={1} {...p} ref={box} />;
}

interface ChoiceProps {
  label: string;
  at: Step[];
  value: string;
  options: string[];
  none?: string; // what stands for "not given"
  bare?: boolean;
  hint?: string;
}

export function ChoiceField(p: ChoiceProps) {
  return p.bare ? <Choice {...p} of={useField(p.at)} /> : (
    <Field label={p.label} at={p.at} hint={p.hint}>{(of) => <Choice {...p} of={of} />}</Field>
  );
}

function Choice({ of, ...p }: ChoiceProps & { of: FieldState }) {
  const known = p.options.includes(p.value) || (p.value === "" && p.none !== undefined);
  const choose = (v: string) => void (v === "" && of.present ? remove(p.at) : set(p.at, v));
  return (
    <select {...about(of, !!p.hint)} aria-label={p.bare ? p.label : undefined} data-key={p.bare ? of.key : undefined} value={p.value} onChange={(e) => choose(e.currentTarget.value)}>
      {p.none !== undefined && <option value="">{p.none}</option>}
      {!known && <option value={p.value}>{p.value || "(none)"}</option>}
      {p.options.map((o) => <option value={o}>{o}</option>)}
    </select>
  );
}

export function Check({ label, at, value, title, bare }: { label: string; at: Step[]; value: boolean; title?: string; bare?: boolean }) {
  const of = useField(at);
  const choose = (on: boolean) => void (on ? set(at, true) : of.present ? remove(at) : undefined);
  const box = <input type="checkbox" {...about(of)} checked={value} aria-label={bare ? label : undefined} title={title} data-key={of.key} onChange={(e) => choose(e.currentTarget.checked)} />;
  if (bare) return <span class="tick">{box}</span>;
  return (
    <div class={of.active ? "check active" : "check"}>
      <label title={title}>{box} {label}</label>
      <Problems of={of} />
    </div>
  );
}

/** A part of the tool that is a mapping or list: a small editor of its YAML. */
export function YamlField({ label, at, value, hint }: { label: string; at: Step[]; value: string; hint?: string }) {
  return (
    <Field label={label} at={at} hint={hint} class="wide">
      {(of) => <Snippet label={label} at={at} value={value} of={of} />}
    </Field>
  );
}

function Snippet({ label, at, value, of }: { label: string; at: Step[]; value: string; of: FieldState }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ of, at });
  latest.current = { of, at };

  useLayoutEffect(() => {
    const v: EditorView = new EditorView({
      parent: box.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          common(label),
          editing,
          wrapping,
          EditorView.updateListener.of((u) => {
            if (u.docChanged && u.view.hasFocus) {
              const text = u.state.doc.toString();
              if (text.trim() !== "") void setRaw(latest.current.at, text);
            }
          }),
          EditorView.domEventHandlers({
            focus: () => focused(latest.current.of.key),
            blur: () => void (v.state.doc.toString().trim() === "" && latest.current.of.present && remove(latest.current.at)),
          }),
        ],
      }),
    });
    view.current = v;
    return () => v.destroy();
  }, []);

  useLayoutEffect(() => {
    const v = view.current!;
    if (v.hasFocus) return;
    const changes = replacement(v.state.doc.toString(), lf(value));
    if (changes) v.dispatch({ changes });
  }, [value]);

  return <div class={of.wrong ? "snippet wrong" : "snippet"} id={of.id} ref={box} />;
}
