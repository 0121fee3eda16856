import type { IconName } from "@/app/_components/icon";
import type { Role } from "@/db/schema/identity";
import { type Action, can } from "@/lib/workspaces/roles";

export const MENU_ID = "menu";

export type MenuEntry = {
  href: string;
  icon: IconName;
  word: string;
  /** The letter that opens it after `g`. */
  key?: string;
  /** The permission without which a member does not see the entry. */
  needs?: Action;
};

export const WORK: MenuEntry[] = [
  { href: "/dashboard", icon: "overview", word: "Overview", key: "o" },
  { href: "/dashboard/messages", icon: "message", word: "Messages", key: "m" },
  { href: "/dashboard/requests", icon: "requests", word: "Requests", key: "r" },
  { href: "/dashboard/send", icon: "send", word: "Send message", key: "s" },
  { href: "/dashboard/templates", icon: "template", word: "Templates", key: "t" },
  { href: "/dashboard/phone-numbers", icon: "line", word: "Lines", key: "l" },
  { href: "/dashboard/webhooks", icon: "feed", word: "WhatsApp connection", key: "w" },
  { href: "/dashboard/contacts", icon: "contacts", word: "Contacts", key: "c" },
  { href: "/dashboard/usage", icon: "usage", word: "Usage", key: "u" },
];

export const SETTINGS: MenuEntry[] = [
  { href: "/dashboard/settings", icon: "settings", word: "Workspace" },
  { href: "/dashboard/settings/api-keys", icon: "key", word: "API keys", key: "k", needs: "seeApiKeys" },
  { href: "/dashboard/settings/webhooks", icon: "webhook", word: "Webhooks", key: "h", needs: "manageWebhooks" },
  { href: "/dashboard/settings/members", icon: "account", word: "Members" },
  { href: "/dashboard/settings/plan", icon: "plan", word: "Plan & limits" },
  { href: "/dashboard/settings/audit-log", icon: "audit", word: "Audit log", needs: "seeAuditLog" },
];

/** In the sidebar until the set-up is done. */
export const GET_STARTED = "/dashboard/get-started";

export const HELP: MenuEntry[] = [
  { href: GET_STARTED, icon: "start", word: "Get started" },
  { href: "/docs", icon: "docs", word: "Docs" },
];

/** Actions of the command menu: each leads to a page, or to a dialog that its page opens at once. */
export const ACTIONS: MenuEntry[] = [
  { href: "/dashboard/templates/new", icon: "plus", word: "New template", needs: "createTemplate" },
  { href: "/dashboard/phone-numbers/new", icon: "plus", word: "Connect a line", needs: "manageLines" },
  { href: "/dashboard/settings/api-keys?create=1", icon: "plus", word: "Create API key", needs: "seeApiKeys" },
  {
    href: "/dashboard/settings/webhooks?create=1",
    icon: "plus",
    word: "Add webhook endpoint",
    needs: "manageWebhooks",
  },
  { href: "/dashboard/settings/members?create=1", icon: "plus", word: "Invite member", needs: "manageMembers" },
  { href: "/dashboard/contacts?create=1", icon: "plus", word: "Add contact", needs: "manageContacts" },
  { href: "/dashboard/contacts/import", icon: "upload", word: "Import contacts", needs: "manageContacts" },
];

/** Not in the menu: reached through the visitor's own name, and through the bell. */
const HIDDEN: MenuEntry[] = [
  { href: "/dashboard/account", icon: "account", word: "Account" },
  { href: "/dashboard/alerts", icon: "bell", word: "Alerts" },
];

/** Returns the entries that `role` may see. */
export function entriesFor(role: Role, entries: MenuEntry[] = [...WORK, ...SETTINGS, ...HIDDEN, ...HELP]): MenuEntry[] {
  return entries.filter(({ needs }) => needs === undefined || can(role, needs));
}
