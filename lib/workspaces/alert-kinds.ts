import type { Role } from "@/db/schema/identity";
import { type Action, can } from "./roles";

type Group = { name: string; hint: string; kinds: readonly string[]; needs: Action; mailedTo: readonly Role[] };

const MANAGERS = ["owner", "admin"] as const;

/** Every kind of alert, by the groups that a member chooses from. `mailedTo`: the roles that receive it unless they choose. */
export const ALERT_GROUPS = {
  lines: {
    name: "Lines",
    hint: "A token is refused or expires, WhatsApp restricts a line or its account or reports an error, its messaging limit is nearly reached, a PIN changes, quality drops, no webhook arrives",
    kinds: [
      "token.invalid",
      "token.expiring",
      "line.status",
      "line.unsubscribed",
      "line.quality",
      "line.security",
      "account.restricted",
      "account.error",
      "account.limit",
      "webhooks.silent",
    ],
    needs: "seeWorkspace",
    mailedTo: MANAGERS,
  },
  templates: {
    name: "Templates",
    hint: "WhatsApp rejects, pauses, disables or recategorizes a template",
    kinds: ["template.rejected", "template.paused", "template.disabled", "template.recategorized"],
    needs: "seeWorkspace",
    mailedTo: MANAGERS,
  },
  sending: {
    name: "Failures, quota and budget",
    hint: "Many messages fail, 80, 90 and 100 % of the monthly quota are used, or 80 and 100 % of the budget",
    kinds: ["failures.high", "quota.used", "budget.used"],
    needs: "seeWorkspace",
    mailedTo: MANAGERS,
  },
  endpoints: {
    name: "Webhook endpoints",
    hint: "An endpoint of yours fails or is paused",
    kinds: ["endpoint.failing", "endpoint.paused"],
    needs: "manageWebhooks",
    mailedTo: MANAGERS,
  },
  keys: {
    name: "API keys",
    hint: "A key is unused for 90 days, or its secret is older than that",
    kinds: ["key.unused", "key.old"],
    needs: "seeApiKeys",
    mailedTo: [],
  },
  signIns: {
    name: "Your sign-ins",
    hint: "Your account was signed in to from a browser for the first time",
    kinds: ["sign_in.new_device"],
    needs: "seeWorkspace",
    mailedTo: ["owner", "admin", "member"],
  },
} as const satisfies Record<string, Group>;

export type AlertGroup = keyof typeof ALERT_GROUPS;
export type AlertKind = (typeof ALERT_GROUPS)[AlertGroup]["kinds"][number];

/** What a pass of the sweeper opens; a sign-in opens its own. */
export type WatchedKind = Exclude<AlertKind, "sign_in.new_device">;

export const ALERT_GROUP_NAMES = Object.keys(ALERT_GROUPS) as AlertGroup[];
export const ALERT_KINDS = ALERT_GROUP_NAMES.flatMap((group): readonly AlertKind[] => ALERT_GROUPS[group].kinds);

/** Alerts that state a moment: their end is not announced. */
export const MOMENTS: readonly AlertKind[] = ["template.recategorized", "sign_in.new_device", "key.unused", "key.old"];

export function groupOf(kind: string): AlertGroup | undefined {
  return ALERT_GROUP_NAMES.find((group) => ALERT_GROUPS[group].kinds.some((one) => one === kind));
}

/** The groups that a role may see. */
export function groupsFor(role: Role): AlertGroup[] {
  return ALERT_GROUP_NAMES.filter((group) => can(role, ALERT_GROUPS[group].needs));
}

/** The kinds of alerts that a role may see. */
export function kindsFor(role: Role): AlertKind[] {
  return groupsFor(role).flatMap((group): readonly AlertKind[] => ALERT_GROUPS[group].kinds);
}

/** The groups that a member receives by e-mail: those chosen, else those of the role, and none that it may not see. */
export function mailedGroups({ role, mailedAlerts }: { role: Role; mailedAlerts: readonly string[] | null }) {
  return groupsFor(role).filter((group) => {
    const byRole: readonly Role[] = ALERT_GROUPS[group].mailedTo;
    return mailedAlerts ? mailedAlerts.includes(group) : byRole.includes(role);
  });
}
