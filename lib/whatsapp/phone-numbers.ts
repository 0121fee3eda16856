import type { z } from "zod";
import { askGraph, type GraphRequest, type WhatsappLine } from "./client";
import type { GraphFailure } from "./errors";
import { BusinessAccountRecord, OwnerRecord, Page, PhoneNumberRecord, SubscribedApp, SuccessAnswer } from "./wire";

/** A business account's number, as WhatsApp returns it. Only a `status` of CONNECTED can send. */
export type WhatsappPhoneNumber = z.output<typeof PhoneNumberRecord>;

const TIMEOUT_MS = 10_000;
const REGISTER_TIMEOUT_MS = 20_000;
const FIELDS =
  "id,display_phone_number,verified_name,quality_rating,status,throughput,whatsapp_business_manager_messaging_limit";

/** Returns whether the token can access the account, and the account's name. */
export async function readBusinessAccount(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; name: string | null } | GraphFailure> {
  const read = await askGraph(line, get(accountPath(line), { fields: "id,name" }), BusinessAccountRecord);
  return read.outcome === "ok" ? { outcome: "ok", name: read.answer.name ?? null } : read;
}

/** Returns the business portfolio that owns the account; null if WhatsApp names none. */
export async function readPortfolio(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; portfolio: { id: string; name: string | null } | null } | GraphFailure> {
  const read = await askGraph(line, get(accountPath(line), { fields: "owner_business_info" }), OwnerRecord);
  if (read.outcome === "failed") return read;
  const { owner_business_info: owner } = read.answer;
  return { outcome: "ok", portfolio: owner ? { id: owner.id, name: owner.name ?? null } : null };
}

/** The account's numbers, the first hundred: no account has more than a few dozen. */
export async function listWhatsappPhoneNumbers(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; numbers: WhatsappPhoneNumber[] } | GraphFailure> {
  const query = { fields: FIELDS, limit: "100" };
  const read = await askGraph(line, get(`${accountPath(line)}/phone_numbers`, query), Page);
  if (read.outcome === "failed") return read;
  return { outcome: "ok", numbers: read.answer.data.flatMap((raw) => PhoneNumberRecord.safeParse(raw).data ?? []) };
}

/** The line's own number. */
export async function readWhatsappPhoneNumber(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; number: WhatsappPhoneNumber } | GraphFailure> {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}`;
  const read = await askGraph(line, get(path, { fields: FIELDS }), PhoneNumberRecord);
  return read.outcome === "ok" ? { outcome: "ok", number: read.answer } : read;
}

/** An app subscribed to an account's webhooks; `overriddenBy` is the URL that overrides the app's own, if any. */
export type WhatsappSubscription = z.output<typeof SubscribedApp>;

export async function listSubscribedApps(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; apps: WhatsappSubscription[] } | GraphFailure> {
  const read = await askGraph(line, get(`${accountPath(line)}/subscribed_apps`), Page);
  if (read.outcome === "failed") return read;
  return { outcome: "ok", apps: read.answer.data.flatMap((raw) => SubscribedApp.safeParse(raw).data ?? []) };
}

/** Subscribes the token's app to the account's webhooks. Idempotent. */
export async function subscribeApp(line: WhatsappLine): Promise<{ outcome: "ok" } | GraphFailure> {
  const path = `${accountPath(line)}/subscribed_apps`;
  const done = await askGraph(line, { method: "POST", path, json: {}, timeoutMs: TIMEOUT_MS }, SuccessAnswer);
  return done.outcome === "ok" ? { outcome: "ok" } : done;
}

/**
 * Registers the line's number for sending, and sets its PIN for two-step verification. Refused for a number that has
 * another PIN already.
 */
export async function registerPhoneNumber(line: WhatsappLine, pin: string): Promise<{ outcome: "ok" } | GraphFailure> {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/register`;
  const json = { messaging_product: "whatsapp", pin };
  const done = await askGraph(line, { method: "POST", path, json, timeoutMs: REGISTER_TIMEOUT_MS }, SuccessAnswer);
  return done.outcome === "ok" ? { outcome: "ok" } : done;
}

const accountPath = ({ whatsappBusinessAccountId }: WhatsappLine) =>
  `/${encodeURIComponent(whatsappBusinessAccountId)}`;

const get = (path: string, query?: Record<string, string>): GraphRequest => ({
  method: "GET",
  path,
  ...(query && { query }),
  timeoutMs: TIMEOUT_MS,
});
