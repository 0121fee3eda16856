import { callGraph, type WhatsappLine } from "./client";
import { type GraphFailure, toGraphFailure } from "./errors";
import { BusinessAccountRecord, Page, PhoneNumberRecord, reasonText, SubscribedApp, SuccessAnswer } from "./wire";

/** A business account's number, as WhatsApp returns it. */
export type WhatsappPhoneNumber = {
  whatsappPhoneNumberId: string;
  displayPhoneNumber: string;
  verifiedName: string | null;
  qualityRating: string | null;
  /** Only CONNECTED can send. */
  status: string | null;
  throughput: string | null;
  messagingLimit: string | null;
};

const TIMEOUT_MS = 10_000;
const FIELDS =
  "id,display_phone_number,verified_name,quality_rating,status,throughput,whatsapp_business_manager_messaging_limit";

/** Returns whether the token can access the account, and the account's name. */
export async function readBusinessAccount(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; name: string | null } | GraphFailure> {
  const path = accountPath(line);
  const result = await callGraph(line, { method: "GET", path, query: { fields: "id,name" }, timeoutMs: TIMEOUT_MS });
  const record = result.outcome === "ok" ? BusinessAccountRecord.safeParse(result.body) : undefined;
  return record?.success ? { outcome: "ok", name: record.data.name ?? null } : toGraphFailure(result);
}

/** The account's numbers, the first hundred: no account has more than a few dozen. */
export async function listWhatsappPhoneNumbers(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; numbers: WhatsappPhoneNumber[] } | GraphFailure> {
  const path = `${accountPath(line)}/phone_numbers`;
  const query = { fields: FIELDS, limit: "100" };
  const result = await callGraph(line, { method: "GET", path, query, timeoutMs: TIMEOUT_MS });
  const page = result.outcome === "ok" ? Page.safeParse(result.body) : undefined;
  if (!page?.success) return toGraphFailure(result);
  return { outcome: "ok", numbers: page.data.data.flatMap((record) => readNumber(record) ?? []) };
}

/** The line's own number. */
export async function readWhatsappPhoneNumber(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; number: WhatsappPhoneNumber } | GraphFailure> {
  const path = `/${encodeURIComponent(line.whatsappPhoneNumberId)}`;
  const result = await callGraph(line, { method: "GET", path, query: { fields: FIELDS }, timeoutMs: TIMEOUT_MS });
  const number = result.outcome === "ok" ? readNumber(result.body) : undefined;
  return number ? { outcome: "ok", number } : toGraphFailure(result);
}

const accountPath = ({ whatsappBusinessAccountId }: WhatsappLine) =>
  `/${encodeURIComponent(whatsappBusinessAccountId)}`;

const readNumber = (raw: unknown): WhatsappPhoneNumber | undefined => {
  const { data: record } = PhoneNumberRecord.safeParse(raw);
  return (
    record && {
      whatsappPhoneNumberId: record.id,
      displayPhoneNumber: reasonText(record.display_phone_number).slice(0, 40),
      verifiedName: record.verified_name ?? null,
      qualityRating: record.quality_rating ?? null,
      status: record.status ?? null,
      throughput: record.throughput?.level ?? null,
      messagingLimit: record.whatsapp_business_manager_messaging_limit ?? null,
    }
  );
};

/** An app subscribed to an account's webhooks, and the URL that overrides the app's own, if any. */
export type WhatsappSubscription = { whatsappAppId: string; name: string | null; overriddenBy: string | null };

export async function listSubscribedApps(
  line: WhatsappLine,
): Promise<{ outcome: "ok"; apps: WhatsappSubscription[] } | GraphFailure> {
  const result = await callGraph(line, { method: "GET", path: pathOf(line), timeoutMs: TIMEOUT_MS });
  const page = result.outcome === "ok" ? Page.safeParse(result.body) : undefined;
  if (!page?.success) return toGraphFailure(result);
  const apps = page.data.data.flatMap((raw) => {
    const { data: app } = SubscribedApp.safeParse(raw);
    if (!app) return [];
    const { id: whatsappAppId, name = null } = app.whatsapp_business_api_data;
    return [{ whatsappAppId, name, overriddenBy: app.override_callback_uri ?? null }];
  });
  return { outcome: "ok", apps };
}

/** Subscribes the token's app to the account's webhooks. Idempotent. */
export async function subscribeApp(line: WhatsappLine): Promise<{ outcome: "ok" } | GraphFailure> {
  const result = await callGraph(line, { method: "POST", path: pathOf(line), json: {}, timeoutMs: TIMEOUT_MS });
  const isDone = result.outcome === "ok" && SuccessAnswer.safeParse(result.body).success;
  return isDone ? { outcome: "ok" } : toGraphFailure(result);
}

const pathOf = ({ whatsappBusinessAccountId }: WhatsappLine) =>
  `/${encodeURIComponent(whatsappBusinessAccountId)}/subscribed_apps`;
