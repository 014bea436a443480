// Positions in texts, and the one-click mends that messages offer.
import type { Diagnostic, Place, Span } from "./api";

/** The offset in UTF-16 units of a line and column counted from 1, the column in code points. */
export function offset(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  for (let n = 1; n < column && at < text.length && text[at] !== "\n"; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** The line and column of an offset. */
export function position(text: string, at: number): [number, number] {
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  return [before.split("\n").length, [...before.slice(start)].length + 1];
}

export const range = (text: string, p: Place): [number, number] => {
  const from = offset(text, p.line, p.column);
  return [from, Math.max(from, offset(text, p.end_line || p.line, p.end_column || p.column))];
};

const before = (al: number, ac: number, bl: number, bc: number) => al < bl || (al === bl && ac <= bc);

/** The key of the smallest span that holds a place, or "". */
export function innermost(spans: Record<string, Span>, line: number, column: number): string {
  let best = "";
  let size = Infinity;
  for (const [key, [l, c, el, ec]] of Object.entries(spans)) {
    if (!before(l, c, line, column) || !before(line, column, el, ec)) continue;
    const s = (el - l) * 1000 + (el === l ? ec - c : 0);
    if (s < size || (s === size && key.length > best.length)) [best, size] = [key, s];
  }
  return best;
}

/** The key of the span in which a place lies; at a key, that of the value that it stands before. */
export function nearest(spans: Record<string, Span>, line: number, column: number): string {
  const inside = innermost(spans, line, column);
  let best = inside;
  let gap = Infinity;
  for (const [key, [l, c]] of Object.entries(spans)) {
    const below = inside === "" || key.startsWith(inside + ".");
    if (below && l === line && c >= column && c - column < gap) [best, gap] = [key, c - column];
  }
  return best;
}

export interface Fix {
  label: string;
  from: number;
  to: number;
  insert: string;
}

/** The mend that a message with "did you mean" names, when the text still has the word that it is about. */
export function fixOf(text: string, d: Diagnostic): Fix | null {
  const said = d.message + " " + (d.hint ?? "");
  const suggestion = /did you mean ("(?:[^"\\]|\\.)*")/.exec(said);
  if (!suggestion) return null;
  const words = (s: string) => [...s.matchAll(/"(?:[^"\\]|\\.)*"/g)].map((m) => unquote(m[0]));
  const right = unquote(suggestion[1]!);
  const [from, to] = range(text, d);
  const span = text.slice(from, to);
  for (const wrong of words(said.slice(0, suggestion.index))) {
    const at = wholeWord(span, wrong);
    if (wrong !== "" && wrong !== right && at >= 0) {
      return { label: `Replace by "${right}"`, from: from + at, to: from + at + wrong.length, insert: right };
    }
  }
  return null;
}

function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted.slice(1, -1);
  }
}

function wholeWord(span: string, word: string): number {
  const letter = /[\p{L}\p{N}_]/u;
  for (let at = span.indexOf(word); at >= 0; at = span.indexOf(word, at + 1)) {
    if (!letter.test(span[at - 1] ?? " ") && !letter.test(span[at + word.length] ?? " ")) return at;
  }
  return -1;
}

/** A text as editors hold it, with LF at the end of each line. */
export const lf = (text: string) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/** The offset in a text of an offset in lf(text). */
function unlf(text: string, at: number): number {
  let n = 0;
  for (let end = text.indexOf("\r\n"); end >= 0 && end - n < at; end = text.indexOf("\r\n", end + 2)) n++;
  return at + n;
}

/** Makes in a text the changes, in order, that somebody made in lf(text). Lines that are not touched keep their ends. */
export function follow(text: string, changes: { from: number; to: number; insert: string }[]): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  let made = "";
  let done = 0;
  for (const c of changes) {
    made += text.slice(done, unlf(text, c.from)) + c.insert.replaceAll("\n", end);
    done = unlf(text, c.to);
  }
  return made + text.slice(done);
}

/** The smallest replacement that makes one text the other. */
export function replacement(a: string, b: string): { from: number; to: number; insert: string } | null {
  if (a === b) return null;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { from: start, to: a.length - end, insert: b.slice(start, b.length - end) };
}

export const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export interface Line {
  text: string;
  own: boolean; // the other text has no such line here
}

/** The lines of two texts, and which of them are in one alone. */
export function unlike(a: string, b: string): [Line[], Line[]] {
  const left = a.split("\n");
  const right = b.split("\n");
  const common = left.map(() => new Uint16Array(right.length + 1));
  common.push(new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) common[i]![j] = left[i] === right[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  }
  const lines = (texts: string[]): Line[] => texts.map((text) => ({ text, own: true }));
  const [l, r] = [lines(left), lines(right)];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) l[i++]!.own = r[j++]!.own = false;
    else if (common[i + 1]![j]! >= common[i]![j + 1]!) i++;
    else j++;
  }
  return [l, r];
}

/** A message and what to do about it, as one sentence. */
export const sentence = (m: { message: string; hint?: string }) => (m.hint ? `${m.message}; ${m.hint}` : m.message);

export const plural = (n: number, one: string, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
