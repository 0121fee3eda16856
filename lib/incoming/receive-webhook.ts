import { DatabaseUnavailable } from "@/db/client";
import { recordInbound } from "@/lib/contacts/record-inbound";
import { AppError } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { batcher } from "@/lib/core/batcher";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import type { Mode } from "@/lib/core/principal";
import { count } from "@/lib/core/telemetry";
import { characterCount } from "@/lib/core/text";
import { recordStatuses } from "@/lib/messages/statuses/record-statuses";
import { recordAccountEvents, recordPhoneNumberEvents } from "@/lib/phone-numbers/record-number-events";
import { receiveTemplateEvents, recordTemplateEvents } from "@/lib/templates/record-template-events";
import type { AccountEvent, PhoneNumberEvent } from "@/lib/whatsapp/account-webhooks";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";
import type { StatusEvent } from "@/lib/whatsapp/status-webhooks";
import type { TemplateEvent } from "@/lib/whatsapp/template-webhooks";
import { readWebhook } from "@/lib/whatsapp/webhook-events";
import { isSigned, sandboxSecret, startSignatureCheck } from "@/lib/whatsapp/webhook-signature";
import { countInbound, countStatuses } from "./count-webhooks";
import { logVerification, noteRefusedSignature, noteUnhandled, type Unhandled } from "./note-webhook";

/** Batches webhooks under load into one transaction, because WhatsApp sends hundreds with one event each. */
const together = <T>(record: (items: T[]) => Promise<T[]>, most = 16) =>
  batcher<T[], T[]>(
    async (webhooks) => {
      const unmatched = new Set(await record(webhooks.flat()));
      return webhooks.map((items) => items.filter((item) => unmatched.has(item)));
    },
    {
      most,
      sizeOf: ({ length }) => length,
      atOnce: 2,
      apartMs: 20,
      failureOf: (error) => (error instanceof DatabaseUnavailable ? "all" : "alone"),
    },
  );

async function recordAndCount(statuses: StatusEvent[], options?: { mode: Mode }): Promise<StatusEvent[]> {
  const { lines, unmatched } = await recordStatuses(statuses, options);
  countStatuses(lines);
  return unmatched;
}

/** Three webhooks of ten statuses. Larger batches leave too few waiting to start the next one at once. */
const STATUSES_TOGETHER = 32;

const recordTogether = {
  statuses: together<StatusEvent>((statuses) => recordAndCount(statuses), STATUSES_TOGETHER),
  inbound: together<InboundMessage>((messages) => recordInbound(messages)),
  templates: together<TemplateEvent>(receiveTemplateEvents),
  phoneNumbers: together<PhoneNumberEvent>(recordPhoneNumberEvents),
  accounts: together<AccountEvent>(recordAccountEvents),
};

/** Keeps a statement within its 2.2 s: a webhook of 4 MB can hold 12,000 events. */
const MAX_IN_A_STATEMENT = 1_000;
/** Fewer, because each writes a message and an event: some 35 ms. */
const MAX_STATUSES = 500;

/** Reads a webhook's body, and calls `onChunk` with each chunk as it arrives. */
type ReadBody = (onChunk: (chunk: Uint8Array) => void) => Promise<Uint8Array>;

/**
 * Receives one webhook from WhatsApp, and returns once all that has an effect is stored. Throws UNAUTHORIZED for a bad
 * signature, before reading the body if none could match it, and SERVICE_UNAVAILABLE or DatabaseUnavailable if it or a
 * part of it could not be stored, so that WhatsApp sends it again; repeating it is harmless.
 */
export async function receiveWebhook(signature: string | null, read: ReadBody): Promise<void> {
  const secrets = [env().WHATSAPP_APP_SECRET, env().WHATSAPP_APP_SECRET_PREVIOUS].filter(
    (secret) => secret !== undefined,
  );
  const check = startSignatureCheck(signature, secrets);
  if (!check) throw refusedSignature(undefined, signature, secrets);
  const raw = await read(check.add);
  const isOfPlatform = check.isSigned();
  // A longer body is not hashed again under the sandbox's secrets.
  const mayBeOfSandbox = !isOfPlatform && raw.byteLength <= BODY_CAPS.sandboxCall;
  const isOfSandbox = mayBeOfSandbox && isSigned(raw, signature, secrets.map(sandboxSecret));
  if (!isOfPlatform && !isOfSandbox) throw refusedSignature(raw, signature, secrets);
  const contents = readWebhook(raw, new Date());
  if (isOfSandbox) {
    const options = { mode: "test" } as const;
    requireStored([
      ...(await each("status", contents.statuses, (statuses: StatusEvent[]) => recordAndCount(statuses, options))),
      ...(await each("message", contents.inbound, (messages: InboundMessage[]) => recordInbound(messages, options))),
      ...(await each("template", contents.templates, (events) => recordTemplateEvents(events, options))),
    ]);
    return;
  }
  const unhandled: Unhandled[] = [
    ...contents.unhandled,
    ...(await each("status", contents.statuses, recordTogether.statuses)),
    ...(await each("message", contents.inbound, recordTogether.inbound)),
    ...(await each("template", contents.templates, recordTogether.templates)),
    ...(await each("phone number", contents.phoneNumbers, recordTogether.phoneNumbers)),
    ...(await each("account", contents.accounts, recordTogether.accounts)),
  ];
  noteUnhandled(unhandled);
  requireStored(unhandled);
  countInbound(contents.inbound);
}

/** Leaves a part that could not be stored to WhatsApp's next try: the others are stored, and repeating them is harmless. */
function requireStored(unhandled: readonly Unhandled[]): void {
  if (unhandled.every(({ kind }) => kind !== "notStored")) return;
  throw new AppError("SERVICE_UNAVAILABLE", "A part of this webhook could not be stored. Send it again.");
}

function refusedSignature(raw: Uint8Array | undefined, signature: string | null, secrets: string[]): AppError {
  log("warn", "webhook.bad-signature", { bytes: raw?.byteLength, isSigned: signature !== null });
  count("switchboard_webhooks_refused_total", {});
  noteRefusedSignature(raw, signature, secrets);
  return new AppError(
    "UNAUTHORIZED",
    "X-Hub-Signature-256 is not the signature of this body under the app secret. Check that the app secret is this app's, and that no proxy changes the body.",
  );
}

/** What an event says of the line or account that it is about. */
type About = Pick<Unhandled, "whatsappBusinessAccountId" | "whatsappPhoneNumberId">;

/** Stores items together, or isolates one that fails; returns it, and the items that match no line or account of ours. */
async function each<T extends About>(
  kind: string,
  items: T[],
  record: (items: T[]) => Promise<T[]>,
): Promise<Unhandled[]> {
  if (items.length === 0) return [];
  if (items.length > (kind === "status" ? MAX_STATUSES : MAX_IN_A_STATEMENT)) return inHalves(kind, items, record);
  try {
    const unmatched = await record(items);
    const reason = `a ${kind} of nothing that is connected here`;
    return unmatched.map((item) => ({ kind: "notConnected", reason, ...aboutOf(item) }));
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    if (items.length > 1) return inHalves(kind, items, record);
    log("error", "webhook.item-refused", { kind, ...errorFields(error) });
    return items.map((item) => ({ kind: "notStored", reason: `a ${kind} that could not be stored`, ...aboutOf(item) }));
  }
}

function aboutOf({ whatsappBusinessAccountId, whatsappPhoneNumberId }: About): About {
  return { whatsappBusinessAccountId, whatsappPhoneNumberId };
}

async function inHalves<T extends About>(
  kind: string,
  items: T[],
  record: (items: T[]) => Promise<T[]>,
): Promise<Unhandled[]> {
  const middle = Math.ceil(items.length / 2);
  const first = await each(kind, items.slice(0, middle), record);
  return [...first, ...(await each(kind, items.slice(middle), record))];
}

/** Returns the challenge of WhatsApp's verification, to echo as plain text. Throws FORBIDDEN if the token differs. */
export function answerChallenge(parameters: URLSearchParams): string {
  const challenge = parameters.get("hub.challenge");
  const refusal = refusalOf(parameters, env().WHATSAPP_VERIFY_TOKEN);
  logVerification(challenge, refusal);
  if (refusal === undefined && challenge !== null) return challenge;
  throw new AppError(
    "FORBIDDEN",
    "hub.verify_token is not this deployment's WHATSAPP_VERIFY_TOKEN, or hub.mode and hub.challenge are missing.",
  );
}

/** Returns why a verification fails, for an owner: how the token differs, without revealing either one. */
function refusalOf(parameters: URLSearchParams, expected: string): string | undefined {
  const token = parameters.get("hub.verify_token") ?? "";
  if (parameters.get("hub.mode") !== "subscribe" || parameters.get("hub.challenge") === null) {
    return "Not a verification request: hub.mode or hub.challenge is missing.";
  }
  if (isSameSecret(token, expected)) return undefined;
  if (token === "") return "The verify token is missing. Paste the one shown here.";
  if (isSameSecret(token.trim(), expected)) return "Its verify token has spaces around it. Paste it without them.";
  const length = characterCount(token);
  return `Its verify token is different (it has ${length} ${length === 1 ? "character" : "characters"}). Paste the one that is shown here.`;
}
