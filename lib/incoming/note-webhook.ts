import { createHash } from "node:crypto";
import { onDatabase } from "@/db/client";
import { webhookNotices } from "@/db/schema/business-accounts";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { count } from "@/lib/core/telemetry";
import { readWebhook, type UnhandledPart } from "@/lib/whatsapp/webhook-events";
import { asciiJson, isOwnChallenge, isSigned } from "@/lib/whatsapp/webhook-signature";

type Notice = Omit<typeof webhookNotices.$inferInsert, "id" | "at">;

/** Anyone can call the webhook, so notices are limited per minute, by number and in total. */
type Minute = { began: number; total: number; of: Map<string, number> };

const MINUTE_MS = 60_000;
const NOTICES_A_MINUTE = 60;
const NOTICES_A_MINUTE_AND_NUMBER = 10;
/** Longer bodies are not parsed for a hint. */
const MAX_HINTED_BYTES = 64 * 1_024;
/** In place of a number, for bodies that were not read. */
const UNREAD = "unread";

/** The `note…` functions never throw and are not awaited: logging must not affect the webhook's response. */

export function logVerification(challenge: string | null, refusal: string | undefined): void {
  if (isOwnChallenge(challenge)) return;
  note("", () => ({ kind: refusal === undefined ? "verified" : "verificationRefused", reason: refusal ?? "" }));
}

/** `raw` is undefined where the signature alone was refused, and the body not read. */
export function noteRefusedSignature(raw: Uint8Array | undefined, signature: string | null, secrets: string[]): void {
  const readable = raw && raw.byteLength <= MAX_HINTED_BYTES ? raw : undefined;
  const whatsappPhoneNumberId = readable && hasRoom("") ? claimedNumber(readable) : null;
  // Unread bodies share one limit. Bodies without a number count against the total only.
  note(whatsappPhoneNumberId ?? (raw ? "" : UNREAD), () => ({
    kind: "signatureRefused",
    reason: signatureHint(readable ?? new Uint8Array(), signature, secrets),
    bodyDigest: readable ? createHash("sha256").update(readable).digest("hex").slice(0, 12) : null,
    whatsappPhoneNumberId,
  }));
}

function claimedNumber(raw: Uint8Array): string | null {
  const { statuses, inbound } = readWebhook(raw, new Date());
  return statuses[0]?.whatsappPhoneNumberId ?? inbound[0]?.whatsappPhoneNumberId ?? null;
}

function note(number: string, read: () => Notice): void {
  if (!hasRoom(number)) return;
  const minute = thisMinute();
  minute.total += 1;
  minute.of.set(number, (minute.of.get(number) ?? 0) + 1);
  const row = { id: newId("wh"), ...read() };
  onDatabase((db) => db.insert(webhookNotices).values(row), { pool: "webhooks" }).catch((error: unknown) =>
    log("warn", "webhook.not-noted", { kind: row.kind, ...errorFields(error) }),
  );
}

function hasRoom(number: string): boolean {
  const { total, of } = thisMinute();
  const ofNumber = number === "" ? 0 : (of.get(number) ?? 0);
  return total < NOTICES_A_MINUTE && ofNumber < NOTICES_A_MINUTE_AND_NUMBER;
}

let minute: Minute = { began: 0, total: 0, of: new Map() };

function thisMinute(): Minute {
  const now = Date.now();
  if (now - minute.began >= MINUTE_MS) minute = { began: now, total: 0, of: new Map() };
  return minute;
}

/** Explains to an owner why a signature was refused, without revealing secrets or the body. */
export function signatureHint(raw: Uint8Array, header: string | null, secrets: string[]): string {
  if (header === null) return "No signature: it did not come from WhatsApp, or a proxy removed the header.";
  if (!/^sha256=[0-9a-f]{64}$/i.test(header)) return "The signature is not of the form sha256=… and 64 hex digits.";
  if (rewritten(raw).some((bytes) => isSigned(bytes, header, secrets))) {
    return "The app secret is right, but a proxy changed the body on its way here.";
  }
  return "The app secret differs from WHATSAPP_APP_SECRET, or a proxy changed the body on its way here.";
}

/** Returns the bytes that WhatsApp may have signed, in case a proxy re-serialized the JSON. */
function rewritten(raw: Uint8Array): Uint8Array[] {
  const text = Buffer.from(raw).toString("utf8");
  let compact: string;
  try {
    // Deep nesting can be parsed, but not written again.
    compact = JSON.stringify(JSON.parse(text));
  } catch {
    return [Buffer.from(text.trim())];
  }
  const spellings = [text.trim(), compact].flatMap((spelling) => {
    const escaped = asciiJson(spelling);
    return [spelling, escaped, spelling.replaceAll("/", "\\/"), escaped.replaceAll("/", "\\/")];
  });
  return spellings.map((spelling) => Buffer.from(spelling));
}

/** A part of a signed webhook without effect: of no use here, about nothing that is connected here, or not stored. */
export type Unhandled = Omit<UnhandledPart, "kind"> & { kind: UnhandledPart["kind"] | "notConnected" | "notStored" };

/** Suggests a number to connect, or a form of webhook that this release does not know. */
const UNEXPECTED = new Set<Unhandled["kind"]>(["notConnected", "unreadable"]);

/** Counts the parts by kind, and logs each kind in one line with what is known of its first part. */
export function noteUnhandled(parts: readonly Unhandled[]): void {
  const kinds = new Map<Unhandled["kind"], Unhandled & { parts: number }>();
  for (const part of parts) {
    count("switchboard_webhook_no_effect_total", { kind: part.kind });
    const first = kinds.get(part.kind);
    if (first) first.parts += 1;
    else kinds.set(part.kind, { ...part, parts: 1 });
  }
  for (const first of kinds.values()) log(UNEXPECTED.has(first.kind) ? "warn" : "info", "webhook.no-effect", first);
  const unknown = parts.flatMap((part) => (part.kind === "notConnected" ? (part.whatsappPhoneNumberId ?? []) : []));
  for (const whatsappPhoneNumberId of new Set(unknown)) {
    note(whatsappPhoneNumberId, () => ({ kind: "unknownNumber", whatsappPhoneNumberId }));
  }
}
