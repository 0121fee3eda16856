const DAY_MS = 86_400_000;

/** Ages in days: when a secret is due for rotation, and when an unused key may be forgotten. */
export const ROTATE_AFTER_DAYS = 90;
export const UNUSED_AFTER_DAYS = 30;
/** An unused key is announced, not only listed, after so many days. */
export const ALERT_UNUSED_DAYS = 90;

type Key = {
  createdAt: Date;
  secretMadeAt: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

/** The age is the secret's, which a rotation resets; "unused" refers to the key, with any secret. */
export type KeyAge = { days: number; isDue: boolean; isUnused: boolean; unusedDays: number };

export function keyAge({ createdAt, secretMadeAt, lastUsedAt, ...key }: Key, now: Date): KeyAge {
  const days = wholeDays(secretMadeAt ?? createdAt, now);
  const isActive = keyState(key, now) === "active";
  const unusedDays = wholeDays(lastUsedAt ?? createdAt, now);
  return {
    days,
    isDue: isActive && days >= ROTATE_AFTER_DAYS,
    isUnused: isActive && unusedDays >= UNUSED_AFTER_DAYS,
    unusedDays,
  };
}

export type KeyState = "active" | "expired" | "revoked";

export function keyState({ revokedAt, expiresAt }: Pick<Key, "revokedAt" | "expiresAt">, now: Date): KeyState {
  return revokedAt ? "revoked" : expiresAt && expiresAt <= now ? "expired" : "active";
}

/** Returns the mode and last four characters of the public half: enough to distinguish keys. */
export function shortKeyId(apiKey: string): string {
  return `${/^pk_(live|test)_/.exec(apiKey)?.[0] ?? ""}…${apiKey.slice(-4)}`;
}

const wholeDays = (from: Date, to: Date) => Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS));
