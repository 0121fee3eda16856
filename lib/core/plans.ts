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
