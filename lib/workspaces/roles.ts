import type { Role } from "@/db/schema/identity";

const WHO_MAY = {
  seeWorkspace: ["owner", "admin", "member"],
  seeFullRecipient: ["owner", "admin"],
  seeApiKeys: ["owner", "admin"],
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof WHO_MAY;

export const can = (role: Role, action: Action): boolean => {
  const allowed: readonly Role[] = WHO_MAY[action];
  return allowed.includes(role);
};
