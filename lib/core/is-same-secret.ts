import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in a time that reveals neither where two texts differ nor how long the expected one is. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

const digest = (text: string) => createHash("sha256").update(text).digest();
