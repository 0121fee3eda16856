import { sentenceCase } from "@/lib/core/text";
import type { NoticeDetail } from "@/lib/whatsapp/account-webhooks";
import { AMBIGUOUS_CODES, CODE_RULES } from "@/lib/whatsapp/error-codes";

/** An error of an account, or a security event of a number, in words. Those that are information need no action. */
export type AccountReport = { tone: "bad" | "caution" | "info"; title: string; sentence: string };

type Reported = { kind: string; event: string; detail: NoticeDetail };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns what an error or a security event means, however old; undefined for every other notice. */
export function reportOf({ kind, event, detail }: Reported): AccountReport | undefined {
  if (kind === SECURITY) return securityReport(event, detail);
  const code = /^error (\d+)$/.exec(kind)?.[1];
  return code === undefined ? undefined : errorReport(Number(code), detail.reason ?? null);
}

/** How long it is shown at the line: WhatsApp reports no end. It repeats an error while it lasts. */
export function shownForMs({ kind, event }: Pick<Reported, "kind" | "event">): number {
  if (kind !== SECURITY) return DAY_MS;
  return event === "PIN_REQUEST_SUCCESS" ? 30 * DAY_MS : 7 * DAY_MS;
}

/** The kind of the notices about a PIN. Those about errors are `error` with the code. */
const SECURITY = "security";

const IF_NOT_YOURS = "If your team did not do this, review who has access in Meta Business settings";

function securityReport(event: string, { requester }: NoticeDetail): AccountReport {
  switch (event) {
    case "PIN_CHANGED":
      return {
        tone: "caution",
        title: "PIN changed",
        sentence: `The PIN of this number’s two-step verification was set or changed in WhatsApp Manager. ${IF_NOT_YOURS}, then set a new PIN.`,
      };
    case "PIN_RESET_REQUEST":
      return {
        tone: "caution",
        title: "PIN reset requested",
        sentence: `${requester ? `User ${requester} of your Meta Business Suite` : "A user of your Meta Business Suite"} asked to turn off this number’s two-step verification. ${IF_NOT_YOURS}, and do not follow WhatsApp’s email.`,
      };
    case "PIN_REQUEST_SUCCESS":
      return {
        tone: "bad",
        title: "Two-step verification off",
        sentence:
          "This number’s two-step verification was turned off. Without a PIN, anyone with its verification code can register the number elsewhere. Set a PIN in WhatsApp Manager.",
      };
    default:
      return {
        tone: "caution",
        title: "Security event",
        sentence: `WhatsApp reports a security event of this number: ${sentenceCase(event).toLowerCase()}. Review it in WhatsApp Manager.`,
      };
  }
}

function errorReport(code: number, title: string | null): AccountReport {
  const rule = CODE_RULES.get(code);
  const reported = `WhatsApp reports error ${code} for this line or its business account`;
  const say = (tone: AccountReport["tone"], sentence: string) => ({ tone, title: `Error ${code}`, sentence });
  if (AMBIGUOUS_CODES.has(code)) return say("info", `${reported}, without a cause. ${CLEARS}`);
  if (!rule) return say("caution", `${reported}. See WhatsApp Manager.${title === null ? "" : ` It said: “${title}”`}`);
  const known = `${reported}: ${lowerFirst(rule.title)}.`;
  if (rule.retryAfterSeconds !== undefined) return say("info", `${known} ${CLEARS}`);
  return rule.blame === "platform"
    ? say("bad", `${known} ${rule.fix ?? "See WhatsApp Manager."}`)
    : say("info", `${known} It is about a request; a message that failed has its own reason.`);
}

const CLEARS = "No action needed; this usually clears on its own.";

const lowerFirst = (text: string): string =>
  text.startsWith("WhatsApp") ? text : `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`.replaceAll("'", "’");
