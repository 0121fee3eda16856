import { callGraph, type WhatsappLine } from "./client";
import { type GraphFailure, toGraphFailure } from "./graph-failure";
import { Page, SubscribedApp, SuccessAnswer } from "./wire";

/** An app to which an account's webhooks go, and where they go instead of to the app's own address. */
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

/** Makes WhatsApp send the account's webhooks to the token's app. Harmless to repeat. */
export async function subscribeApp(line: WhatsappLine): Promise<{ outcome: "ok" } | GraphFailure> {
  const result = await callGraph(line, { method: "POST", path: pathOf(line), json: {}, timeoutMs: TIMEOUT_MS });
  const isDone = result.outcome === "ok" && SuccessAnswer.safeParse(result.body).success;
  return isDone ? { outcome: "ok" } : toGraphFailure(result);
}

const pathOf = ({ whatsappBusinessAccountId }: WhatsappLine) =>
  `/${encodeURIComponent(whatsappBusinessAccountId)}/subscribed_apps`;
