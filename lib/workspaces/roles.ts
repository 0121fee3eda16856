import type { Role } from "@/db/schema/identity";

const ALL_ROLES = ["owner", "admin", "member"] as const;
const MANAGERS = ["owner", "admin"] as const;
const OWNERS = ["owner"] as const;

const WHO_MAY = {
  seeWorkspace: ALL_ROLES,
  seeFullRecipient: MANAGERS,
  seeBodies: MANAGERS,
  seeApiKeys: MANAGERS,
  seeAuditLog: MANAGERS,
  sendTestMessage: ALL_ROLES,
  sendLiveMessage: MANAGERS,
  syncTemplates: ALL_ROLES,
  createTemplate: MANAGERS,
  manageLines: MANAGERS,
  manageContacts: MANAGERS,
  manageWebhooks: MANAGERS,
  manageMembers: MANAGERS,
  resetPasswords: OWNERS,
  manageWorkspace: MANAGERS,
  changePlan: OWNERS,
  deleteWorkspace: OWNERS,
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof WHO_MAY;

export function can(role: Role, action: Action): boolean {
  const allowed: readonly Role[] = WHO_MAY[action];
  return allowed.includes(role);
}

/** Areas hidden from roles without access: no menu entry, and 404 for pages and actions. */
const SECRET_AREAS: readonly Action[] = ["seeApiKeys", "seeAuditLog", "seeBodies", "manageWebhooks"];

export function isSecretArea(action: Action): boolean {
  return SECRET_AREAS.includes(action);
}

/** Text beside a disabled control: who can do it. */
export function whoCan(action: Action): string {
  return WHO_MAY[action] === OWNERS ? "Only an owner can do this." : "Only owners and admins can do this.";
}

export const ROLE_NAMES = { owner: "Owner", admin: "Admin", member: "Member" } as const satisfies Record<Role, string>;

/** Role descriptions for people who choose or receive a role. */
export const ROLE_MEANINGS: Record<Role, string> = {
  owner: "Owners can do everything, including changing the plan and deleting the workspace.",
  admin: "Admins connect lines, create keys and webhooks, and invite people.",
  member: "Members see messages and templates, and send in test mode.",
};
