const DAY_MS = 86_400_000;

/** A secret of so many days is due for rotation, and a key that was not used for so long may be forgotten. */
export const ROTATE_AFTER_DAYS = 90;
export const UNUSED_AFTER_DAYS = 30;

type Key = {
  createdAt: Date;
  secretMadeAt: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

/** The days are those of the secret, which a rotation makes new; unused is the key, whatever its secret. */
export type KeyAge = { days: number; isDue: boolean; isUnused: boolean };

export function keyAge({ createdAt, secretMadeAt, lastUsedAt, ...key }: Key, now: Date): KeyAge {
  const days = wholeDays(secretMadeAt ?? createdAt, now);
  const isActive = keyState(key, now) === "active";
  return {
    days,
    isDue: isActive && days >= ROTATE_AFTER_DAYS,
    isUnused: isActive && wholeDays(lastUsedAt ?? createdAt, now) >= UNUSED_AFTER_DAYS,
  };
}

export type KeyState = "active" | "expired" | "revoked";

export function keyState({ revokedAt, expiresAt }: Pick<Key, "revokedAt" | "expiresAt">, now: Date): KeyState {
  return revokedAt ? "revoked" : expiresAt && expiresAt <= now ? "expired" : "active";
}

/** The mode and the last four characters of the public half: enough to distinguish one's keys. */
export function shortKeyId(apiKey: string): string {
  return `${/^pk_(live|test)_/.exec(apiKey)?.[0] ?? ""}…${apiKey.slice(-4)}`;
}

const wholeDays = (from: Date, to: Date) => Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS));
