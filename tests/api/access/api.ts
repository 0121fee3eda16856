import { api, type Entry, everyone, keys, NO_ID, nobody, ofWorkspace, people, type Target } from "./entry";

const AUTH = "auth/[...nextauth]";
const PARTNER_API = "/api/v1/public/*";
const text = (target: Target) => ({
  type: "text",
  phone: "447700900123",
  content: "Hi",
  phoneNumberId: target.phoneNumberId,
});

export const API: Entry[] = [
  api("GET", "/api/*", "/api/nothing", everyone(404)),
  api("GET", "/api/v1/workspaces/*", ({ workspaceId }) => `/api/v1/workspaces/${workspaceId}/nothing`, everyone(404)),
  api("GET", AUTH, "/api/auth/session", everyone(200)),
  api("GET", AUTH, "/api/auth/providers", everyone(200)),
  api("GET", AUTH, "/api/auth/callback/credentials", everyone(405)),
  api("POST", AUTH, "/api/auth/session", everyone(405)),
  api("POST", AUTH, "/api/auth/callback/credentials", everyone("302 /api/auth/signin")),
  api("POST", AUTH, "/api/auth/signout", everyone("302 /api/auth/signout")),
  api("GET", "/api/cron/sweep", "/api/cron/sweep", nobody),
  api("GET", "/api/metrics", "/api/metrics", everyone(404)),
  api("GET", "/api/health", "/api/health", everyone(200)),
  api("GET", "/api/health/ready", "/api/health/ready", everyone(200)),
  api("GET", "/api/sandbox/*", ({ line }) => `/api/sandbox/v25.0/${line.whatsappPhoneNumberId}`, nobody),
  api("POST", "/api/sandbox/*", ({ line }) => `/api/sandbox/v25.0/${line.whatsappPhoneNumberId}/messages`, nobody),
  api("POST", "/api/v1/listen", "/api/v1/listen", keys(403, 403), { body: () => ({}) }),
  api("GET", PARTNER_API, "/api/v1/public/nothing", everyone(404)),
  api("GET", PARTNER_API, ({ messageId }, id = messageId) => `/api/v1/public/messages/${id}`, keys(200, 404), {
    absentId: NO_ID("msg"),
  }),
  api("POST", PARTNER_API, "/api/v1/public/messages/send", keys(201, 400), { body: text }),
  api("GET", PARTNER_API, "/api/v1/public/templates", keys(200, 200)),
  ofWorkspace("GET", "phone-numbers", people(200, 404, 401)),
  api("GET", "/api/webhooks/whatsapp", "/api/webhooks/whatsapp", everyone(403)),
  api("POST", "/api/webhooks/whatsapp", "/api/webhooks/whatsapp", nobody, { body: () => ({}) }),
];
