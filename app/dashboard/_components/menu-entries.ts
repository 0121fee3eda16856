import type { IconName } from "@/app/_components/icon";
import type { Role } from "@/db/schema/identity";
import { can } from "@/lib/workspaces/roles";

export const API_KEYS_PATH = "/dashboard/settings/api-keys";
const WEBHOOKS_PATH = "/dashboard/settings/webhooks";
const AUDIT_LOG_PATH = "/dashboard/settings/audit-log";
export const MENU_ID = "menu";

/** A page of the menu. `key` opens it after `g`; `create` names the dialog that it opens at once where it is asked to. */
export type MenuEntry = { href: string; icon: IconName; word: string; key?: string; create?: string };

export const WORK: MenuEntry[] = [
  { href: "/dashboard", icon: "overview", word: "Overview", key: "o" },
  { href: "/dashboard/messages", icon: "message", word: "Messages", key: "m" },
  { href: "/dashboard/requests", icon: "requests", word: "Requests", key: "r" },
  { href: "/dashboard/send", icon: "send", word: "Send message", key: "s" },
  { href: "/dashboard/templates", icon: "template", word: "Templates", key: "t" },
  { href: "/dashboard/phone-numbers", icon: "line", word: "Lines", key: "l" },
  { href: "/dashboard/webhooks", icon: "feed", word: "WhatsApp feed", key: "w" },
  { href: "/dashboard/contacts", icon: "contacts", word: "Contacts", key: "c" },
  { href: "/dashboard/usage", icon: "usage", word: "Usage", key: "u" },
];

export const SETTINGS: MenuEntry[] = [
  { href: "/dashboard/settings", icon: "settings", word: "Workspace" },
  { href: API_KEYS_PATH, icon: "key", word: "API keys", key: "k", create: "Create API key" },
  { href: WEBHOOKS_PATH, icon: "webhook", word: "Webhooks", key: "h", create: "Add webhook endpoint" },
  { href: "/dashboard/settings/members", icon: "account", word: "Members" },
  { href: "/dashboard/settings/plan", icon: "plan", word: "Plan & limits" },
  { href: AUDIT_LOG_PATH, icon: "audit", word: "Audit log" },
];

export const HELP: MenuEntry[] = [
  { href: "/dashboard/get-started", icon: "start", word: "Get started" },
  { href: "/docs", icon: "docs", word: "Docs" },
];

/** Beside the menu: it is reached through the visitor's own name. */
const ACCOUNT: MenuEntry = { href: "/dashboard/account", icon: "account", word: "Account" };

/** Every page but those that are `absent` for the visitor. */
export function pagesBut(absent: readonly string[]): MenuEntry[] {
  return [...WORK, ...SETTINGS, ACCOUNT, ...HELP].filter(({ href }) => !absent.includes(href));
}

/** The addresses that are not in the menu of `role`, because they are not there for it at all. */
export function absentFor(role: Role): string[] {
  return [
    ...(can(role, "seeApiKeys") ? [] : [API_KEYS_PATH]),
    ...(can(role, "manageWebhooks") ? [] : [WEBHOOKS_PATH]),
    ...(can(role, "seeAuditLog") ? [] : [AUDIT_LOG_PATH]),
  ];
}
