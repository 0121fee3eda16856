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
  mail: {
    name: "E-mail",
    hint: "The mail server refused this deployment for a while, so that e-mails waited",
    kinds: ["mail.refused"],
    needs: "seeWorkspace",
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

const CHECK = "open the line and run its check; it names what WhatsApp refuses.";
const MANAGER = "read WhatsApp’s reason on the line’s page, and answer it in WhatsApp Manager.";
const TEMPLATE = "open the template to see why, then change it or send another one.";

/** What a reader should do, as the end of a sentence that begins with "What to do:". */
const ADVICE: Record<AlertKind, string> = {
  "token.invalid": "create a new token in Meta’s Business settings, and replace the line’s.",
  "token.expiring": "replace the line’s token before it expires; one of a system user does not expire.",
  "line.unsubscribed": "subscribe the app to the account, so that statuses arrive.",
  "line.quality": "send less of what people block or report; a low rating lowers the messaging limit.",
  "line.status": MANAGER,
  "line.security": "if no one of you did it, secure the account in WhatsApp Manager.",
  "account.restricted": MANAGER,
  "account.error": MANAGER,
  "account.limit": "spread first messages over the day; replies are not limited.",
  "webhooks.silent": CHECK,
  "template.rejected": TEMPLATE,
  "template.paused": TEMPLATE,
  "template.disabled": TEMPLATE,
  "template.recategorized": "change the sends that expect the former category, and look at the price.",
  "failures.high": "open the failed messages; each says why, and whether a retry helps.",
  "quota.used": "raise the monthly limit, or send less until the month ends.",
  "budget.used": "look at what costs most; raise the budget, or send less.",
  "endpoint.failing": "open the endpoint; each attempt shows your server’s response.",
  "endpoint.paused": "fix your server, then resume the endpoint: its events are delivered then.",
  "key.unused": "revoke the key if nothing needs it.",
  "key.old": "rotate the secret; the old one can stay valid while you change it.",
  "mail.refused": "have the operator of this server run `npm run doctor`, which tries the mail server.",
  "sign_in.new_device": "nothing if it was you.",
};

export function adviceFor(kind: AlertKind): string {
  return ADVICE[kind];
}

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
