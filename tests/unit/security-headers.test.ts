import { expect, test } from "vitest";
import { securityHeaders } from "@/lib/core/security-headers";

const PAGE = { nonce: "bm9uY2U=", isHttps: true, isDevelopment: false, isPrivate: false };

const policyOf = (page: typeof PAGE): string => securityHeaders(page)["Content-Security-Policy"] ?? "";

test("only scripts with the request's nonce run, and no one may frame the page", () => {
  expect(policyOf(PAGE)).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic';");
  expect(policyOf(PAGE)).toContain("frame-ancestors 'none'");
  expect(policyOf(PAGE)).not.toMatch(/unsafe|\*|https:|ws:/);
});

test("development tools get what they need, and production never does", () => {
  expect(policyOf({ ...PAGE, isDevelopment: true })).toMatch(/'unsafe-eval'.*style-src 'self' 'unsafe-inline'.*ws:/);
});

test("only https promises https", () => {
  expect(securityHeaders(PAGE)["Strict-Transport-Security"]).toMatch(/^max-age=\d{8}/);
  const plain = securityHeaders({ ...PAGE, isHttps: false });
  expect(plain).not.toHaveProperty("Strict-Transport-Security");
  expect(plain["Content-Security-Policy"]).not.toContain("upgrade-insecure-requests");
});

test("no cache keeps a private page", () => {
  expect(securityHeaders({ ...PAGE, isPrivate: true })["Cache-Control"]).toBe("private, no-store");
  expect(securityHeaders(PAGE)).not.toHaveProperty("Cache-Control");
});
