import { sentenceCase } from "@/lib/core/text";

export type Advice = { tone: "info" | "caution" | "bad"; title: string; fix: string };

/** Returns why a template cannot be sent now and how to fix it; undefined if it can be sent. */
export function adviceOn(
  { status, rejectedReason }: { status: string; rejectedReason: string | null },
  { hasLine }: { hasLine: boolean },
): Advice | undefined {
  const known = ADVICE[status];
  if (status === "REJECTED") {
    const reason = REASONS[rejectedReason ?? ""]?.fix;
    const title = `Rejected${rejectedReason ? `: ${sentenceCase(rejectedReason).toLowerCase()}` : ""}.`;
    return { tone: "bad", title, fix: `${reason ?? OTHER_REASON} Then submit it again.` };
  }
  if (known) return known;
  if (status !== "APPROVED") {
    return { tone: "caution", title: `${sentenceCase(status)}.`, fix: "Only approved templates can be sent." };
  }
  if (hasLine) return undefined;
  return {
    tone: "caution",
    title: "No active line of this business account.",
    fix: "Resume or connect one to send it.",
  };
}

const ADVICE: Record<string, Advice> = {
  PENDING: {
    tone: "info",
    title: "Waiting for WhatsApp’s review.",
    fix: "It can be sent once it is approved, which takes minutes to a day; the status here updates automatically.",
  },
  PAUSED: {
    tone: "caution",
    title: "Paused for low quality.",
    fix: "Readers blocked or reported it. The pause ends by itself after 3 hours, the next one after 6; a third time disables it. Send it to fewer people, or reword it.",
  },
  DISABLED: {
    tone: "bad",
    title: "Disabled for low quality.",
    fix: "It cannot be sent again. Create another template with another text.",
  },
  DELETED: {
    tone: "bad",
    title: "Deleted on WhatsApp.",
    fix: "It is kept here because messages name it. Its name is blocked there for 30 days.",
  },
  ARCHIVED: {
    tone: "caution",
    title: "Archived because it was not used.",
    fix: "Restore it in WhatsApp Manager within 28 days, then sync.",
  },
};

const OTHER_REASON = "WhatsApp Manager shows the reason: change what it names.";

/** A reason of WhatsApp's: the field of the editor that it is about, and what to change there. */
const REASONS: Record<string, { field: string; fix: string }> = {
  ABUSIVE_CONTENT: { field: "body", fix: "Remove what could threaten or insult its readers." },
  INCORRECT_CATEGORY: {
    field: "category",
    fix: "The text does not suit its category: offers and news are marketing, updates on an order are utility.",
  },
  INVALID_FORMAT: {
    field: "body",
    fix: "Check the variables: numbered from {{1}} without a gap, not at the very start or end, each with a sample.",
  },
  PROMOTIONAL: { field: "category", fix: "It promotes something, so it has to be of the category marketing." },
  SCAM: {
    field: "body",
    fix: "Remove what could look like fraud: claims of prizes, requests for payment data, shortened links.",
  },
  TAG_CONTENT_MISMATCH: {
    field: "body",
    fix: "Text and language, or text and category, do not match: write it wholly in the language chosen.",
  },
};

/** Returns what a rejection means for the fields of the editor. */
export function rejectionIssues(rejectedReason: string | null): Record<string, string> {
  const { field, fix } = REASONS[rejectedReason ?? ""] ?? { field: "body", fix: OTHER_REASON };
  const reason = rejectedReason ? ` (${sentenceCase(rejectedReason).toLowerCase()})` : "";
  return { [field]: `WhatsApp rejected this${reason}. ${fix}` };
}

/** Statuses in which a template can be edited and reviewed again. An approved one may be edited once a day at WhatsApp. */
export function isEditable(status: string): boolean {
  return status === "REJECTED" || status === "PAUSED";
}

/** Whether a call of the template can work now or once its review or pause is over. */
export function isCallable(status: string): boolean {
  return !["REJECTED", "DISABLED", "DELETED"].includes(status);
}
