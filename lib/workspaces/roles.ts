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

/** Secret areas are absent for those who may not look: no entry in the menu, and 404 by address and by action. */
const SECRET_AREAS: readonly Action[] = ["seeApiKeys", "seeAuditLog", "seeBodies", "manageWebhooks"];

export function isSecretArea(action: Action): boolean {
  return SECRET_AREAS.includes(action);
}

/** Beside what a member lacks: who can do it. */
export function whoCan(action: Action): string {
  return WHO_MAY[action] === OWNERS ? "Only an owner can do this." : "Only owners and admins can do this.";
}

export const ROLE_NAMES = { owner: "Owner", admin: "Admin", member: "Member" } as const satisfies Record<Role, string>;

/** For people who choose a role, or are given one. */
export const ROLE_MEANINGS: Record<Role, string> = {
  owner: "Owners do everything, the plan and deleting the workspace included.",
  admin: "Admins connect lines, create keys and webhooks, and invite people.",
  member: "Members see messages and templates, and send in test mode.",
};
