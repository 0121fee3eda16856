import type { ReactNode } from "react";
import type { Mode } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { Icon, type IconName } from "./icon";

export function Muted({ children }: { children: ReactNode }) {
  return <span className="text-muted">{children}</span>;
}

/** An id, a code or a name of the API. */
export function Code({ children }: { children: ReactNode }) {
  const isWhole = typeof children === "string" && ERROR_CODE.test(children);
  return (
    <code className={`font-mono text-sm ${isWhole ? "wrap-anywhere min-[22.5rem]:whitespace-nowrap" : "break-all"}`}>
      {children}
    </code>
  );
}

/** A sentence whose “e-mail” stays on its line. */
export function Unbroken({ text }: { text: string }) {
  return text.split(/(e-mail\w*)/i).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

/** Shows the parts of a sentence between backticks as code. */
export function InlineCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      <code
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed sentence never move
        key={index}
        className={`rounded-sm bg-surface px-1 font-mono text-[0.92em] ${wrappingOf(part)}`}
      >
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed sentence never move
      <Unbroken key={index} text={part} />
    ),
  );
}

/** A code that is short enough for a cell of a table on a phone is unreadable in two lines; a longer one is wider than it. */
function wrappingOf(code: string): string {
  if (/\s/.test(code)) return "";
  return code.length <= 28 ? "min-[22.5rem]:whitespace-nowrap" : "wrap-anywhere";
}

/** The same among ids, which are told apart by their ends. */
const ERROR_CODE = /^[A-Z_]{2,24}$/;

type Tone = "pending" | "sent" | "good" | "read" | "bad" | "caution";

/** Aligned to the text baseline; by itself an icon's lower edge would be. */
export function Chip({ tone, icon, word }: { tone: Tone; icon: IconName; word: string }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full border border-transparent px-2 py-0.5 text-sm font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      <Icon name={icon} className="size-3.5" />
      <span className="self-baseline">{word}</span>
    </span>
  );
}

const TONES: Record<Tone, string> = {
  pending: "bg-pending-fill text-pending",
  sent: "bg-sent-fill text-sent",
  good: "bg-good-fill text-good",
  read: "bg-read-fill text-read",
  bad: "bg-bad-fill text-bad",
  caution: "bg-caution-fill text-caution",
};

type Look = { tone: Tone; icon: IconName };

/** A chip for each state of something. */
export type Chips<State extends string> = Record<State, Look & { word: string }>;

/** In a list: a chip only where a status differs from what is normal, else a glyph, with its name where there is room. */
export function MessageStatusMark({ status }: { status: string }) {
  const glyph = NORMAL_GLYPHS[status];
  if (!glyph) return <StatusChip status={status} />;
  const word = sentenceCase(status);
  return (
    <span
      title={word}
      className={`inline-flex items-center gap-1.5 align-middle text-sm ${status === "READ" ? "text-sent" : "text-muted"}`}
    >
      <Icon name={glyph} />
      <span className="max-xl:sr-only">{word}</span>
    </span>
  );
}

const NORMAL_GLYPHS: Record<string, IconName> = {
  PENDING: "clock",
  SENT: "check",
  DELIVERED: "checks",
  READ: "checks",
};

/** Of a message or a template. One that this release does not know is shown as it is, with the look of a caution. */
export function StatusChip({ status }: { status: string }) {
  return <Chip {...(STATUS_LOOKS[status] ?? CAUTION)} word={sentenceCase(status)} />;
}

/** What readers think of a template, by WhatsApp's colours; nothing while there is too little to say. */
export function QualityChip({ score }: { score: string | null }) {
  const look = QUALITY_LOOKS[score ?? ""];
  return look ? <Chip {...look} word={`Quality ${(score ?? "").toLowerCase()}`} /> : null;
}

/** The status of an answer: accepted, refused because of the caller, or failed on our side. */
export function HttpStatusChip({ status }: { status: number }) {
  return <Chip {...(status < 400 ? GOOD : status < 500 ? CAUTION : BAD)} word={String(status)} />;
}

/** The same in a list, where what was accepted needs no chip. */
export function HttpStatusMark({ status }: { status: number }) {
  return status < 400 ? <Muted>{status}</Muted> : <HttpStatusChip status={status} />;
}

export function ModeLabel({ mode }: { mode: Mode }) {
  return (
    <span className="inline-block rounded-control border border-control px-1.5 text-sm text-muted">
      {mode === "live" ? "Live" : "Test"}
    </span>
  );
}

const GOOD: Look = { tone: "good", icon: "check" };
const CAUTION: Look = { tone: "caution", icon: "alert" };
const BAD: Look = { tone: "bad", icon: "cross" };

const STATUS_LOOKS: Record<string, Look> = {
  PENDING: { tone: "pending", icon: "clock" },
  SENT: { tone: "sent", icon: "check" },
  DELIVERED: { tone: "good", icon: "checks" },
  READ: { tone: "read", icon: "eye" },
  FAILED: BAD,
  APPROVED: { tone: "good", icon: "checks" },
  REJECTED: BAD,
  DISABLED: BAD,
};

const QUALITY_LOOKS: Record<string, Look> = {
  GREEN: GOOD,
  YELLOW: CAUTION,
  RED: { tone: "bad", icon: "alert" },
};
