export type Mode = "live" | "test";

export const PERMISSIONS = ["send", "status", "templates"] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** What a key is limited to; an absent field is no limit, and a list is never empty. */
export type KeyLimits = {
  permissions?: Permission[];
  phoneNumberIds?: string[];
  templateNames?: string[];
  /** In CIDR notation, as Postgres writes it. */
  ipRanges?: string[];
  /** Messages per calendar month (UTC). */
  monthlyCap?: number;
};

/** `isMembers`: a key of a member's "Try it", which reveals no more of a recipient than the dashboard does to its member. */
export type KeyRights = KeyLimits & { isMembers?: true };

/** The sender: a workspace in one mode, with the lines that it may use. */
export type Principal = {
  workspaceId: WorkspaceId;
  /** Null if a member sends from the dashboard. */
  apiKeyId: string | null;
  mode: Mode;
  /** Messages per calendar month; null means no limit. */
  monthlyLimit: number | null;
  /** The key's limits; none if a member sends. */
  limits: KeyRights;
  /** The lines that the key may use. */
  lines: Line[];
};

/** A line for sending. `accessToken` is still encrypted. */
export type Line = {
  id: string;
  label: string;
  displayPhoneNumber: string;
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
  isActive: boolean;
  isDefault: boolean;
  hasTokenProblem: boolean;
};

/** Messages per calendar month (UTC); null means no limit. */
export const PLANS = { free: 1_000, starter: 10_000, growth: 100_000, unlimited: null } as const satisfies Record<
  string,
  number | null
>;

export type Plan = keyof typeof PLANS;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(PLANS, name);
}

export const PLAN_NAMES: Plan[] = Object.keys(PLANS).filter(isPlan);

/** Returns the effective limit: the workspace's own, else its plan's. */
export function monthlyLimit(plan: Plan, messageLimit: number | null): number | null {
  return messageLimit ?? PLANS[plan];
}

/** Ten years. Contents to keep for longer belong in an archive. */
export const MAX_RETENTION_DAYS = 3_650;

declare const proven: unique symbol;

/** A workspace that the caller may access. Every query takes it first, so forgetting the tenant does not compile. */
export type WorkspaceId = string & { readonly [proven]: true };

/** Creates a WorkspaceId. Only for authentication, webhooks' own lines, the sweeper and provisioning. */
export function provenWorkspaceId(id: string): WorkspaceId {
  return id as WorkspaceId;
}
