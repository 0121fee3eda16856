/** WhatsApp's text formatting. */
export type Mark = "bold" | "italic" | "strike" | "mono";

/** A run of text with the same formatting; `slot` names a missing value. */
export type Run = { text: string; slot: string | null; marks: Mark[] };

/** A text as it will be sent: pieces, with a slot where a value is missing. */
export type Piece = { text: string } | { slot: string };

/** The marks of `*bold*`, `_italic_`, `~strike~`, `` `mono` `` and ```` ```mono``` ````, as the apps read them. */
export function readMarks(pieces: Piece[]): Run[] {
  const atoms = pieces.flatMap((piece): Atom[] =>
    "slot" in piece ? [{ text: "", slot: piece.slot }] : Array.from(piece.text, (text) => ({ text, slot: null })),
  );
  return joined(mark(atoms, []));
}

/** One character, or a missing value, which is not formatted. */
type Atom = { text: string; slot: string | null };

const SIGNS: { sign: string; mark: Mark; isVerbatim?: true }[] = [
  { sign: "```", mark: "mono", isVerbatim: true },
  { sign: "`", mark: "mono", isVerbatim: true },
  { sign: "*", mark: "bold" },
  { sign: "_", mark: "italic" },
  { sign: "~", mark: "strike" },
];

function mark(atoms: Atom[], marks: Mark[]): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < atoms.length; at++) {
    const span = spanAt(atoms, at);
    const atom = atoms[at];
    if (span && !marks.includes(span.mark)) {
      const inner = atoms.slice(at + span.sign.length, span.end);
      const all = [...marks, span.mark];
      runs.push(...(span.isVerbatim ? inner.map((one) => ({ ...one, marks: all })) : mark(inner, all)));
      at = span.end + span.sign.length - 1;
    } else if (atom) runs.push({ ...atom, marks });
  }
  return runs;
}

/** Returns the formatted span that starts at `at`; `end` is the position of the closing marker. */
function spanAt(atoms: Atom[], at: number) {
  for (const rule of SIGNS) {
    if (!matchesAt(atoms, at, rule.sign) || !isOutside(atoms[at - 1])) continue;
    const end = closingOf(atoms, at + rule.sign.length, rule.sign);
    if (end !== undefined) return { ...rule, end };
  }
  return undefined;
}

/** Finds the closing marker: after a non-space, not inside a word, and on the same line unless it is a code block. */
function closingOf(atoms: Atom[], from: number, sign: string): number | undefined {
  if (isSpace(atoms[from])) return undefined;
  for (let at = from; at < atoms.length; at++) {
    if (sign !== "```" && atoms[at]?.text === "\n") return undefined;
    const isClosing = matchesAt(atoms, at, sign) && at > from && !isSpace(atoms[at - 1]);
    if (isClosing && isOutside(atoms[at + sign.length])) return at;
  }
  return undefined;
}

const matchesAt = (atoms: Atom[], at: number, sign: string): boolean =>
  Array.from(sign).every((character, offset) => atoms[at + offset]?.text === character);

const isSpace = (atom: Atom | undefined): boolean => atom !== undefined && /^\s$/.test(atom.text);
const isOutside = (atom: Atom | undefined): boolean =>
  !atom || (atom.slot === null && !/[\p{L}\p{N}]/u.test(atom.text));

function joined(runs: Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const isSame = last?.slot === null && run.slot === null && last.marks.join() === run.marks.join();
    if (last && isSame) result[result.length - 1] = { ...last, text: last.text + run.text };
    else result.push(run);
  }
  return result;
}
