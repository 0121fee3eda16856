import type { Mode } from "@/db/schema/identity";
import type { KeyState } from "@/lib/api-keys/key-age";
import { sentenceCase } from "@/lib/core/text";
import { Chip, type Tone } from "./chip";
import type { IconName } from "./icon";

type Look = { tone: Tone; icon: IconName };

/** Takes any word: a status that this release does not know is shown as it is, with the look of a caution. */
export function MessageStatusChip({ status }: { status: string }) {
  return <Chip {...(MESSAGE_LOOKS[status] ?? CAUTION)} word={sentenceCase(status)} />;
}

export function TemplateStatusChip({ status }: { status: string }) {
  return <Chip {...(TEMPLATE_LOOKS[status] ?? CAUTION)} word={sentenceCase(status)} />;
}

/** What readers think of a template, by WhatsApp's colours; nothing while there is too little to say. */
export function QualityChip({ score }: { score: string | null }) {
  const look = QUALITY_LOOKS[score ?? ""];
  return look ? <Chip {...look} word={`Quality ${(score ?? "").toLowerCase()}`} /> : null;
}

/** The status of an answer: taken, refused because of the caller, or failed without one's fault. */
export function HttpStatusChip({ status }: { status: number }) {
  if (status < 400) return <Chip tone="good" icon="check" word={String(status)} />;
  return status < 500 ? (
    <Chip tone="caution" icon="alert" word={String(status)} />
  ) : (
    <Chip tone="bad" icon="cross" word={String(status)} />
  );
}

export function KeyStateChip({ state }: { state: KeyState }) {
  return <Chip {...KEY_LOOKS[state]} word={sentenceCase(state)} />;
}

export function ModeLabel({ mode }: { mode: Mode }) {
  return (
    <span className="inline-block rounded-control border border-control px-1.5 text-xs text-muted">
      {mode === "live" ? "Live" : "Test"}
    </span>
  );
}

const CAUTION: Look = { tone: "caution", icon: "alert" };

const MESSAGE_LOOKS: Record<string, Look> = {
  PENDING: { tone: "pending", icon: "clock" },
  SENT: { tone: "sent", icon: "check" },
  DELIVERED: { tone: "good", icon: "checks" },
  READ: { tone: "read", icon: "eye" },
  FAILED: { tone: "bad", icon: "cross" },
};

const TEMPLATE_LOOKS: Record<string, Look> = {
  APPROVED: { tone: "good", icon: "checks" },
  PENDING: { tone: "pending", icon: "clock" },
  REJECTED: { tone: "bad", icon: "cross" },
  DISABLED: { tone: "bad", icon: "cross" },
};

const QUALITY_LOOKS: Record<string, Look> = {
  GREEN: { tone: "good", icon: "check" },
  YELLOW: CAUTION,
  RED: { tone: "bad", icon: "alert" },
};

const KEY_LOOKS: Record<KeyState, Look> = {
  active: { tone: "good", icon: "checks" },
  expired: CAUTION,
  revoked: { tone: "bad", icon: "cross" },
};
