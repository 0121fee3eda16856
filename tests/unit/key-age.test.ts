import { expect, test } from "vitest";
import { keyAge, keyState, shortKeyId } from "@/lib/api-keys/key-age";

const NOW = new Date("2026-06-01T00:00:00Z");
const days = (count: number) => new Date(NOW.getTime() - count * 86_400_000);
const key = { createdAt: days(10), secretMadeAt: null, lastUsedAt: null, expiresAt: null, revokedAt: null };

test("a key is due for rotation from its 90th day on, while it is active", () => {
  expect(keyAge({ ...key, createdAt: days(89) }, NOW)).toMatchObject({ days: 89, isDue: false });
  expect(keyAge({ ...key, createdAt: days(90) }, NOW)).toMatchObject({ days: 90, isDue: true });
  expect(keyAge({ ...key, createdAt: days(400), revokedAt: days(1) }, NOW).isDue).toBe(false);
});

test("a rotation makes the secret new, and leaves a key unused that no one used", () => {
  const old = { ...key, createdAt: days(95) };
  expect(keyAge({ ...old, secretMadeAt: days(0) }, NOW)).toEqual({
    days: 0,
    isDue: false,
    isUnused: true,
    unusedDays: 95,
  });
  expect(keyAge({ ...old, createdAt: days(200), secretMadeAt: days(90) }, NOW)).toMatchObject({
    days: 90,
    isDue: true,
  });
});

test("a key is unused 30 days after its last call, or after its making where it never had one", () => {
  expect(keyAge({ ...key, createdAt: days(29) }, NOW).isUnused).toBe(false);
  expect(keyAge({ ...key, createdAt: days(30) }, NOW).isUnused).toBe(true);
  expect(keyAge({ ...key, createdAt: days(300), lastUsedAt: days(2) }, NOW).isUnused).toBe(false);
});

test("a revoked key is revoked whatever else it is", () => {
  expect(keyState({ revokedAt: days(1), expiresAt: days(1) }, NOW)).toBe("revoked");
  expect(keyState({ revokedAt: null, expiresAt: NOW }, NOW)).toBe("expired");
  expect(keyState({ revokedAt: null, expiresAt: new Date(NOW.getTime() + 1) }, NOW)).toBe("active");
});

test("the short form shows the mode and the last four characters of the id itself", () => {
  expect(shortKeyId("pk_live_2XxmkENHO7iGSV9nx3hT1R")).toBe("pk_live_…hT1R");
});
