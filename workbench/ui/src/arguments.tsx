// The arguments of a tool as a table, with what is nested in them.
import { useContext, useState } from "preact/hooks";
import type { Argument, Form, Json, Step } from "./api";
import { edit, focusField, remove, set, setRaw } from "./actions";
import { about, Check, ChoiceField, Field, Problems, Scope, TextField, useField, useTyped } from "./fields";
import { Icon, IconButton } from "./parts";

export const types = ["string", "integer", "number", "boolean", "array", "object", "file"];
const places = ["path", "query", "header", "cookie", "body", "none"];
const styles = ["repeat", "comma", "space", "pipe", "brackets", "json"];

export function Arguments({ form }: { form: Form }) {
  if (form.arguments === null || form.arguments === undefined) return <Open />;
  return <ArgumentList at={["arguments"]} all={form.arguments} kind="argument" />;
}

function Open() {
  const of = useField(["arguments"]);
  return (
    <div class="open-arguments" data-key="arguments">
      <p>No arguments are listed, so whatever the model sends is passed on.</p>
      <Problems of={of} />
      <div class="bar"><AddButton at={["arguments"]} all={[]} kind="argument" />
      <button type="button" class="small" onClick={() => void set(["arguments"], [])}>The tool takes none</button></div>
    </div>
  );
}

interface ListProps {
  at: Step[];
  all: Argument[];
  kind: "argument" | "field";
}

function ArgumentList({ at, all, kind }: ListProps) {
  const [dragged, setDragged] = useState(-1);
  const [over, setOver] = useState(-1);
  const of = useField(at);
  const move = async (from: number, to: number) => {
    if (to < 0 || to >= all.length || from === to) return;
    await edit({ op: "move", at: [...at, from], to });
    focusField([...at, to, "name"].join("."));
  };
  const drag = (i: number) => ({
    onDragOver: (e: DragEvent) => {
      if (dragged < 0) return;
      e.preventDefault();
      setOver(i);
    },
    onDrop: (e: DragEvent) => {
      e.preventDefault();
      void move(dragged, i);
      setDragged(-1);
      setOver(-1);
    },
  });
  return (
    <div class={kind === "field" ? "arguments nested" : "arguments"}>
      {all.length > 0 && (
        <div class="argument-head" aria-hidden="true">
          <span /><span>Name</span><span>Type</span><span title="Required">Req.</span><span>Description</span><span />
        </div>
      )}
      <ol>
        {all.map((a, i) => (
          <li key={i} class={[i === dragged && "dragged", i === over && i !== dragged && (over > dragged ? "over-below" : "over-above")].filter(Boolean).join(" ")} {...drag(i)}>
            <ArgumentRow
              at={[...at, i]} a={a} index={i} count={all.length} move={(to) => void move(i, to)} kind={kind} others={all.filter((o) => o !== a).map((o) => o.name)}
              grip={{ draggable: true, onDragStart: (e: DragEvent) => { e.dataTransfer!.effectAllowed = "move"; e.dataTransfer!.setData("text/plain", a.name); setDragged(i); }, onDragEnd: () => { setDragged(-1); setOver(-1); } }}
            />
          </li>
        ))}
      </ol>
      <Problems of={of} />
      <AddButton at={at} all={all} kind={kind} />
    </div>
  );
}

function AddButton({ at, all, kind }: ListProps) {
  const add = async () => {
    const names = new Set(all.map((a) => a.name));
    let name = `new_${kind}`;
    for (let n = 2; names.has(name); n++) name = `new_${kind}_${n}`;
    const value = { name, type: "string" };
    await (all.length === 0 ? set(at, [value]) : edit({ op: "insert", at: [...at, all.length], value }));
    focusField([...at, all.length, "name"].join("."));
  };
  return <button type="button" class="small" onClick={() => void add()}><Icon name="plus" /> Add {kind === "field" ? "a field" : "an argument"}</button>;
}

interface RowProps {
  at: Step[];
  a: Argument;
  index: number;
  count: number;
  move: (to: number) => void;
  grip: object;
  kind: string;
  others: string[]; // names that are taken
}

function ArgumentRow({ at, a, index, count, move, grip, kind, others }: RowProps) {
  const [chosen, setOpen] = useState<boolean | null>(null);
  const scope = useContext(Scope);
  const key = at.join(".");
  const inside = (k: string) => k.startsWith(key + ".") && !["name", "type", "required", "description"].some((f) => k === `${key}.${f}`);
  const open = chosen ?? (inside(scope.active) || [...scope.problems.keys()].some(inside) || a.type === "object" || a.type === "array");
  const name = useField([...at, "name"]);
  const named = a.name || `${kind} ${index + 1}`;
  const keys = (e: KeyboardEvent) => {
    const step = e.altKey && !e.ctrlKey && !e.metaKey ? { ArrowUp: -1, ArrowDown: 1 }[e.key] : undefined;
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    move(index + step);
  };
  const away = async () => {
    await remove(at);
    if (count > 1) focusField([...at.slice(0, -1), Math.min(index, count - 2), "name"].join("."));
  };
  return (
    <div class={scope.active === key || scope.active.startsWith(key + ".") ? "argument active" : "argument"} onKeyDown={keys} data-key={key}>
      <div class="argument-row">
        <button type="button" class="grip" aria-label={`Move ${named}`} title="Drag, or Alt+↑ and Alt+↓" {...grip} onKeyDown={(e) => {
          const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
          if (!step) return;
          e.preventDefault();
          e.stopPropagation();
          move(index + step);
        }}><Icon name="grip" /></button>
        <NameField at={at} name={a.name} label={`Name of ${named}`} others={others} />
        <TypeChoice at={at} a={a} label={`Type of ${named}`} />
        <Check bare label={`${named} is required`} title="Required" at={[...at, "required"]} value={a.required} />
        <TextField bare label={`Description of ${named}`} at={[...at, "description"]} value={a.description} lines required placeholder="for the model" />
        <span class="row-buttons">
          <button type="button" class="icon-button" aria-expanded={open} aria-label={`Details of ${named}`} title="Details" onClick={() => setOpen(!open)}><Icon name={open ? "down" : "right"} /></button>
          <IconButton icon="close" label={`Remove ${named}`} onClick={() => void away()} />
        </span>
      </div>
      <Problems of={name} />
      <Under at={at} keys={["type", "required", "description"]} />
      <Problems of={useField(at)} />
      {open && <Details at={at} a={a} nested={kind === "field"} />}
    </div>
  );
}

const argumentName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The name of an argument; holes follow it. A name that is none, or is taken, cannot be followed and is set only when it is left. */
function NameField({ at, name, label, others }: { at: Step[]; name: string; label: string; others: string[] }) {
  const of = useField([...at, "name"]);
  const follows = (v: string) => argumentName.test(v) && !others.includes(v);
  const typed = useTyped(
    name,
    (v) => void (follows(v) && edit({ op: "rename", at, name: v })),
    (v) => void (follows(v) || set([...at, "name"], v)),
  );
  return <input class="mono" {...about(of)} {...typed} aria-label={label} data-key={of.key} autocomplete="off" spellcheck={false} />;
}

/** The messages of the fields in a row, under it. */
function Under({ at, keys }: { at: Step[]; keys: string[] }) {
  return <>{keys.map((k) => <Problems of={useField([...at, k])} />)}</>;
}

function TypeChoice({ at, a, label }: { at: Step[]; a: Argument; label: string }) {
  const here = [...at, "type"];
  const of = useField(here);
  const choose = async (type: string) => {
    await set(here, type);
    if (type === "array" && !a.items) await set([...at, "items"], { type: "string" });
    if (type !== "array" && a.items) await remove([...at, "items"]);
    if (type !== "object" && a.properties) await remove([...at, "properties"]);
  };
  return (
    <select {...about(of)} aria-label={label} data-key={of.key} value={a.type} onChange={(e) => void choose(e.currentTarget.value)}>
      {!types.includes(a.type) && <option value={a.type}>{a.type || "(string)"}</option>}
      {types.map((t) => <option value={t}>{t}</option>)}
    </select>
  );
}

const textConstraints = ["pattern", "format", "minLength", "maxLength"];
const numberConstraints = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const listConstraints = ["minItems", "maxItems"];

const constraintsOf = (type: string): string[] =>
  type === "array" ? listConstraints : type === "integer" || type === "number" ? numberConstraints : type === "string" || type === "" ? textConstraints : [];

function Details({ at, a, nested, element }: { at: Step[]; a: Argument; nested: boolean; element?: boolean }) {
  const scalar = a.type !== "array" && a.type !== "object" && a.type !== "file";
  return (
    <div class="details">
      <div class="grid small-grid">
        {!element && <ValueField label="Default" at={[...at, "default"]} value={a.default} type={a.type} />}
        {scalar && a.type !== "boolean" && <ValuesField label="One of (enum)" at={[...at, "enum"]} value={a.enum ?? []} type={a.type} />}
        {!element && <ValuesField label="Examples" at={[...at, "examples"]} value={a.examples ?? []} type={a.type} />}
        {constraintsOf(a.type).map((c) => (
          <TextField label={c} at={[...at, c]} value={a.constraints?.[c] ?? ""} mono raw={c !== "pattern" && c !== "format"} />
        ))}
        {a.type === "file" && <FileFields at={at} a={a} />}
        {!nested && !element && (
          <>
            <ChoiceField label="Goes into" at={[...at, "in"]} value={a.in ?? ""} options={places} none={`${a.place || "by rule"} (by rule)`} />
            <TextField label="Name on the wire" at={[...at, "as"]} value={a.as ?? ""} mono placeholder={a.name} />
            {(a.type === "array" || a.type === "object") && <ChoiceField label="Style" at={[...at, "style"]} value={a.style ?? ""} options={styles} none="default" />}
          </>
        )}
        <Check label="null is a value" at={[...at, "nullable"]} value={a.nullable} />
        {a.type === "array" && <Check label="no element twice" at={[...at, "uniqueItems"]} value={a.constraints?.uniqueItems === "true"} />}
      </div>
      {a.type === "array" && a.items && <Items at={[...at, "items"]} a={a.items} />}
      {a.type === "object" && <Properties at={[...at, "properties"]} all={a.properties ?? null} />}
    </div>
  );
}

function FileFields({ at, a }: { at: Step[]; a: Argument }) {
  return (
    <>
      <ChoiceField label="Comes as" at={[...at, "source"]} value={a.source ?? ""} options={["base64", "text", "path"]} none="base64 (default)" />
      <TextField label="File name" at={[...at, "filename"]} value={a.filename ?? ""} mono />
      <TextField label="Media type" at={[...at, "media_type"]} value={a.media_type ?? ""} mono />
      <TextField label="Bytes at most" at={[...at, "max_bytes"]} value={a.max_bytes ? String(a.max_bytes) : ""} mono />
    </>
  );
}

function Items({ at, a }: { at: Step[]; a: Argument }) {
  const of = useField(at);
  return (
    <div class="items" role="group" data-key={of.key} aria-label="Elements">
      <div class="items-head">
        <span id={of.id + "-l"}>Each element is a</span>
        <TypeChoice at={at} a={a} label="Type of the elements" />
        <TextField bare label="Description of the elements" at={[...at, "description"]} value={a.description} placeholder="description" />
      </div>
      <Problems of={of} />
      <Under at={at} keys={["type", "description"]} />
      <Details at={at} a={a} nested element />
    </div>
  );
}

function Properties({ at, all }: { at: Step[]; all: Argument[] | null }) {
  if (all === null) {
    return (
      <div class="items">
        <p class="faint">A free object: any fields pass.</p>
        <AddButton at={at} all={[]} kind="field" />
      </div>
    );
  }
  return <div class="items" role="group" aria-label="Fields"><ArgumentList at={at} all={all} kind="field" /></div>;
}

const shownValue = (v: Json | undefined): string => (v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v));

/** Writes a value as its type reads it. */
function put(at: Step[], text: string, type: string): void {
  if (type === "string" || type === "file" || type === "") void set(at, text);
  else if (/^\{vars\./.test(text)) void set(at, text);
  else void setRaw(at, text);
}

function ValueField({ label, at, value, type }: { label: string; at: Step[]; value: Json | undefined; type: string }) {
  if (type === "boolean") return <BooleanField label={label} at={at} value={value} />;
  return (
    <Field label={label} at={at}>
      {(of) => <ValueInput attributes={about(of)} value={shownValue(value)} put={(v) => v !== "" && put(at, v, type)} done={(v) => void (v === "" && of.present && remove(at))} />}
    </Field>
  );
}

function ValueInput(p: { attributes: object; value: string; put: (v: string) => void; done: (v: string) => void }) {
  return <input class="mono" {...p.attributes} {...useTyped(p.value, p.put, p.done)} autocomplete="off" />;
}

function BooleanField({ label, at, value }: { label: string; at: Step[]; value: Json | undefined }) {
  return (
    <Field label={label} at={at}>
      {(of) => (
        <select {...about(of)} value={value === undefined ? "" : String(value)} onChange={(e) => void (e.currentTarget.value === "" ? of.present && remove(at) : set(at, e.currentTarget.value === "true"))}>
          <option value="">none</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      )}
    </Field>
  );
}

/** Values, one a line. */
function ValuesField({ label, at, value, type }: { label: string; at: Step[]; value: Json[]; type: string }) {
  return (
    <Field label={label} at={at}>
      {(of) => {
        const all = (v: string) => v.split("\n").filter((l) => l.trim() !== "");
        const write = (v: string) => {
          const lines = all(v);
          if (lines.length === 0) return void (of.present && remove(at));
          if (type === "string" || type === "") void set(at, lines);
          else void setRaw(at, `[${lines.join(", ")}]`);
        };
        return <ValuesInput attributes={about(of)} value={value.map(shownValue).join("\n")} put={write} />;
      }}
    </Field>
  );
}

function ValuesInput(p: { attributes: object; value: string; put: (v: string) => void }) {
  const typed = useTyped(p.value, p.put);
  return <textarea class="mono" rows={Math.min(8, Math.max(1, typed.value.split("\n").length))} {...p.attributes} {...typed} placeholder="one a line" />;
}

