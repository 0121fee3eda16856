import { callGraph, type WhatsappLine } from "./client";
import { type GraphFailure, toGraphFailure } from "./graph-failure";
import { Page, SubscribedApp, SuccessAnswer } from "./wire";

/** An app subscribed to an account's webhooks, and the URL that overrides the app's own, if any. */
export type WhatsappSubscription = { whatsappAppId: string; name: string | null; overriddenBy: string | null };

const TIMEOUT_MS = 10_000;

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
