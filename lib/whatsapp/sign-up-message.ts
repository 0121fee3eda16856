import { isRecord, readJson } from "@/lib/core/json";
import { shorten } from "@/lib/core/text";

/** What the window of Embedded Signup reported to the page that opened it. */
export type SignUpMessage =
  | { outcome: "finished"; whatsappBusinessAccountId: string; whatsappPhoneNumberId: string }
  | { outcome: "stopped"; message: string };

export const CLOSED = "Meta’s dialog was closed before it was finished. Nothing was stored.";
const WITHOUT_NUMBER =
  "Meta’s dialog ended without a phone number. Start again, and add and verify a number in the dialog.";

/** Compared as a whole: any other host may end or begin with Meta's. */
const ORIGINS = new Set(["https://www.facebook.com", "https://web.facebook.com"]);
const MAX_CHARACTERS = 10_000;

/** Reads a `message` event's origin and data; undefined for any that is not Embedded Signup's from Meta. */
export function readSignUpMessage(origin: string, data: unknown): SignUpMessage | undefined {
  if (!ORIGINS.has(origin) || typeof data !== "string" || data.length > MAX_CHARACTERS) return undefined;
  const message = readJson(data);
  if (!isRecord(message) || message.type !== "WA_EMBEDDED_SIGNUP" || typeof message.event !== "string")
    return undefined;
  const { event } = message;
  const told = isRecord(message.data) ? message.data : {};
  if (event.startsWith("FINISH")) {
    const [whatsappBusinessAccountId, whatsappPhoneNumberId] = [readId(told.waba_id), readId(told.phone_number_id)];
    if (!whatsappBusinessAccountId || !whatsappPhoneNumberId) return { outcome: "stopped", message: WITHOUT_NUMBER };
    return { outcome: "finished", whatsappBusinessAccountId, whatsappPhoneNumberId };
  }
  if (event !== "CANCEL" && event !== "ERROR") return undefined;
  const reason = typeof told.error_message === "string" ? told.error_message.trim() : "";
  if (!reason && event === "CANCEL") return { outcome: "stopped", message: CLOSED };
  const said = reason ? ` Meta said: ${shorten(reason, 300).replace(/[.!?…]?$/, (end) => end || ".")}` : "";
  return { outcome: "stopped", message: `Meta’s dialog ended with an error.${said} Nothing was stored.` };
}

const readId = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{5,20}$/.test(value) ? value : undefined;
