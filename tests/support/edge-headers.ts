import { expect } from "vitest";
import type { Answer } from "./workspace";

/** What every answer under /api carries, whatever its status; a public file may be kept by caches. */
export const expectApiHeaders = ({ headers }: Answer, cacheControl = "no-store"): void => {
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9A-Za-z_-]{16,}$/);
  expect(headers.get("cache-control")).toBe(cacheControl);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-powered-by")).toBeNull();
};

const WINDOW_SECONDS = 900;

/** Draft-6 rate limit headers; the policies in the order in which they are taken, such as `{ ip: 100, key: 300 }`. */
export const expectRateHeaders = (
  { headers }: Answer,
  { limit, remaining, policies }: { limit: number; remaining: number; policies: Record<string, number> },
): void => {
  expect(headers.get("ratelimit-limit")).toBe(`${limit}`);
  expect(headers.get("ratelimit-remaining")).toBe(`${remaining}`);
  expect(headers.get("ratelimit-policy")).toBe(
    Object.entries(policies)
      .map(([scope, quota]) => `"${scope}";q=${quota};w=${WINDOW_SECONDS}`)
      .join(", "),
  );
  const reset = Number(headers.get("ratelimit-reset"));
  expect(Number.isInteger(reset) && reset >= 1 && reset <= WINDOW_SECONDS, `RateLimit-Reset ${reset}`).toBe(true);
};
