import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { explainPlatformCode, PLATFORM_CODES } from "@/lib/docs/platform-errors";
import { AMBIGUOUS_CODES, CODE_RULES } from "@/lib/whatsapp/error-codes";

describe("WhatsApp's codes", () => {
  test("every code that a send knows is explained, each once, and none beside them", () => {
    const known = [...CODE_RULES.keys(), ...AMBIGUOUS_CODES];
    const rows = readFileSync("lib/docs/pages/whatsapp-errors.md", "utf8").matchAll(/^\| (\d+) \|/gm);
    expect([...rows].map(([, code]) => Number(code)).sort()).toEqual(known.sort());
  });

  test.each(PLATFORM_CODES)("%d has a title, why, what each side can do, and a word on retrying", (code) => {
    const page = explainPlatformCode(code);
    for (const text of [page?.title, page?.why, page?.partner, page?.owner, page?.retry.text]) {
      expect(text?.length, `${code}`).toBeGreaterThan(10);
      expect(text).not.toContain("[[");
      // Backticks come in pairs: what stands between them is shown as code.
      expect(text?.split("`").length).toSatisfy((parts: number) => parts % 2 === 1);
    }
    const rule = CODE_RULES.get(code);
    expect(page?.retry.advice).toBe(rule?.retryAfterSeconds === undefined ? "no" : "yes");
    // What becomes of the idempotency key: spent in a 400 that does not pass by itself, kept in every other.
    const isSpent = rule?.blame === "caller" && rule.retryAfterSeconds === undefined;
    expect(page?.retry.text).toMatch(isSpent ? /use a new idempotency key/ : /same (idempotency )?key/);
    expect(page?.why).toMatch(/\.$/);
  });

  test.each(PLATFORM_CODES)("%d of a message that WhatsApp had accepted names no key but a new one", (code) => {
    const page = explainPlatformCode(code, { wasAccepted: true });
    if (CODE_RULES.has(code)) expect(page?.retry.text).toMatch(/^[^;]* a new idempotency key\.$/);
  });

  test("a hundred codes of one permission are explained as one, under their own number", () => {
    expect(explainPlatformCode(230)).toEqual({ ...explainPlatformCode(10), code: 230 });
  });

  test("a code that is new has no page", () => {
    expect(explainPlatformCode(199_999)).toBeUndefined();
  });
});
