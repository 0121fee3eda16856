import type { z } from "zod";
import { askGraph, type GraphRequest, type WhatsappLine } from "./client";
import { AccountName, AccountOwner, PhoneNumberList, PhoneNumberRecord, SubscribedApps, SuccessAnswer } from "./wire";

/** A business account's number, as WhatsApp returns it. Only a `status` of CONNECTED can send. */
export type WhatsappPhoneNumber = z.output<typeof PhoneNumberRecord>;

const TIMEOUT_MS = 10_000;
const REGISTER_TIMEOUT_MS = 20_000;
const FIELDS =
  "id,display_phone_number,verified_name,quality_rating,status,throughput,whatsapp_business_manager_messaging_limit";

/** Returns the account's name, null if it has none; fails if the token cannot access the account. */
export function readBusinessAccount(line: WhatsappLine) {
  return askGraph(line, get(accountPath(line), { fields: "id,name" }), AccountName);
}

/** Returns the business portfolio that owns the account; null if WhatsApp names none. */
export function readPortfolio(line: WhatsappLine) {
  return askGraph(line, get(accountPath(line), { fields: "owner_business_info" }), AccountOwner);
}

/** The account's numbers, the first hundred: no account has more than a few dozen. */
export function listWhatsappPhoneNumbers(line: WhatsappLine) {
  return askGraph(line, get(`${accountPath(line)}/phone_numbers`, { fields: FIELDS, limit: "100" }), PhoneNumberList);
}

/** The line's own number. */
export function readWhatsappPhoneNumber(line: WhatsappLine) {
  return askGraph(
    line,
    get(`/${encodeURIComponent(line.whatsappPhoneNumberId)}`, { fields: FIELDS }),
    PhoneNumberRecord,
  );
}

/** The apps subscribed to the account's webhooks; `overriddenBy` is the URL that overrides an app's own, if any. */
export function listSubscribedApps(line: WhatsappLine) {
  return askGraph(line, get(`${accountPath(line)}/subscribed_apps`), SubscribedApps);
}

/** Subscribes the token's app to the account's webhooks. Idempotent. */
export function subscribeApp(line: WhatsappLine) {
  const path = `${accountPath(line)}/subscribed_apps`;
  return askGraph(line, { method: "POST", path, json: {}, timeoutMs: TIMEOUT_MS }, SuccessAnswer);
}

/**
 * Registers the line's number for sending, and sets its PIN for two-step verification. Refused for a number that has
 * another PIN already.
 */
export function registerPhoneNumber(line: WhatsappLine, pin: string) {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}/register`;
  const json = { messaging_product: "whatsapp", pin };
  return askGraph(line, { method: "POST", path, json, timeoutMs: REGISTER_TIMEOUT_MS }, SuccessAnswer);
}

const accountPath = ({ whatsappBusinessAccountId }: WhatsappLine) =>
  `/${encodeURIComponent(whatsappBusinessAccountId)}`;

const get = (path: string, query?: Record<string, string>): GraphRequest => ({
  method: "GET",
  path,
  ...(query && { query }),
  timeoutMs: TIMEOUT_MS,
});
