import { createHash } from "node:crypto";
import { onDatabase } from "@/db/client";
import { webhookNotices } from "@/db/schema";
import { isRecord } from "@/lib/core/is-record";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { processWide } from "@/lib/core/process-wide";
import { isOwnChallenge } from "@/lib/whatsapp/own-challenge";
import { readWebhook } from "@/lib/whatsapp/webhook-events";
import { NOT_CONNECTED, type Unhandled } from "./keep-unhandled";
import { signatureHint } from "./signature-hint";

type Notice = Omit<typeof webhookNotices.$inferInsert, "id" | "at">;

/** Anybody may knock at this door, so the notices of a minute are limited, of one number and altogether. */
type Minute = { began: number; total: number; of: Map<string, number> };

const MINUTE_MS = 60_000;
const NOTICES_A_MINUTE = 60;
const NOTICES_A_MINUTE_AND_NUMBER = 10;
/** A longer body is not read for a hint. */
const MAX_HINTED_BYTES = 64 * 1_024;
/** In place of a number, for bodies that were not read. */
const UNREAD = "unread";

/** None of these is waited for, or throws: the webhook has its response whether or not it was logged. */

export function noteVerification(challenge: string | null, refusal: string | undefined): void {
  if (isOwnChallenge(challenge)) return;
  note("", () => ({ kind: refusal === undefined ? "verified" : "verificationRefused", reason: refusal ?? "" }));
}

/** `raw` is undefined where the signature alone was refused, and the body not read. */
export function noteRefusedSignature(raw: Uint8Array | undefined, signature: string | null, secrets: string[]): void {
  const readable = raw && raw.byteLength <= MAX_HINTED_BYTES ? raw : undefined;
  const whatsappPhoneNumberId = readable && hasRoom("") ? claimedNumber(readable) : null;
  // What names no number is one sender for all that could be known: it must not use up the room of the others.
  note(whatsappPhoneNumberId ?? (raw ? "" : UNREAD), () => ({
    kind: "signatureRefused",
    reason: signatureHint(readable ?? new Uint8Array(), signature, secrets),
    bodyDigest: readable ? createHash("sha256").update(readable).digest("hex").slice(0, 12) : null,
    whatsappPhoneNumberId,
  }));
}

/** Signed webhooks about numbers that are no lines here. */
export function noteUnknownNumbers(parts: readonly Unhandled[]): void {
  const numbers = parts.flatMap(({ reason, body }) =>
    reason.endsWith(NOT_CONNECTED) && isRecord(body) && typeof body.whatsappPhoneNumberId === "string"
      ? [body.whatsappPhoneNumberId]
      : [],
  );
  for (const whatsappPhoneNumberId of new Set(numbers)) {
    note(whatsappPhoneNumberId, () => ({ kind: "unknownNumber", whatsappPhoneNumberId }));
  }
}

const claimedNumber = (raw: Uint8Array): string | null => {
  const { statuses, inbound } = readWebhook(raw, new Date());
  return statuses[0]?.whatsappPhoneNumberId ?? inbound[0]?.whatsappPhoneNumberId ?? null;
};

const note = (number: string, read: () => Notice): void => {
  if (!hasRoom(number)) return;
  const minute = thisMinute();
  minute.total += 1;
  minute.of.set(number, (minute.of.get(number) ?? 0) + 1);
  const row = { id: newId("wh"), ...read() };
  onDatabase((db) => db.insert(webhookNotices).values(row), { pool: "webhooks" }).catch((error: unknown) =>
    log("warn", "webhook.not-noted", { kind: row.kind, ...errorFields(error) }),
  );
};

const hasRoom = (number: string): boolean => {
  const { total, of } = thisMinute();
  const ofNumber = number === "" ? 0 : (of.get(number) ?? 0);
  return total < NOTICES_A_MINUTE && ofNumber < NOTICES_A_MINUTE_AND_NUMBER;
};

const thisMinute = (): Minute => {
  const minute = processWide<Minute>("webhookNotices", () => ({ began: 0, total: 0, of: new Map() }));
  const now = Date.now();
  if (now - minute.began >= MINUTE_MS) Object.assign(minute, { began: now, total: 0, of: new Map() });
  return minute;
};
