import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERROR_STATUS } from "@/lib/core/app-error";
import { ERROR_CATALOGUE, ERROR_CODES, isErrorCode } from "@/lib/docs/error-catalogue";
import { fillPlaceholders } from "@/lib/docs/placeholders";
import { PLATFORM_CODES } from "@/lib/docs/platform-errors";

test("every code has a page with what happened, causes, a fix and a word on retrying", () => {
  expect(ERROR_CODES).toEqual(Object.keys(ERROR_STATUS));
  for (const code of ERROR_CODES) {
    const { title, happened, causes, fix, retry } = ERROR_CATALOGUE[code];
    for (const text of [title, happened, ...causes, ...fix, retry.text]) {
      expect(text.length, code).toBeGreaterThan(10);
      // Backticks come in pairs: what stands between them is shown as code.
      expect(text.split("`").length % 2, text).toBe(1);
    }
    expect(causes.length * fix.length, code).toBeGreaterThan(0);
  }
});

test("a name that every object has is no code", () => {
  expect(isErrorCode("toString")).toBe(false);
  expect(isErrorCode("not_found")).toBe(false);
});

const READER = { origin: "https://example.test", apiKey: null, perAddress: 100, perKey: 300 };

test("the index has every code once, under who must act", () => {
  const text = fillPlaceholders(readFileSync("lib/docs/pages/errors.md", "utf8"), READER);
  const linked = [...text.matchAll(/\]\(\/docs\/errors\/(?:platform\/)?(\w+)\)/g)].map(([, code]) => code);
  expect(linked.toSorted()).toEqual([...ERROR_CODES, ...PLATFORM_CODES.map(String)].toSorted());
  const partOf = (code: string) =>
    text
      .slice(0, text.indexOf(`/${code})`))
      .match(/### .+/g)
      ?.at(-1);
  expect(partOf("PHONE_NUMBER_REQUIRED")).toContain("Fix the request");
  expect(partOf("PLAN_LIMIT_EXCEEDED")).toContain("Ask the owner of the workspace");
  expect(partOf("131026")).toContain("Change the message or the recipient");
  expect(partOf("131042")).toContain("Ask the owner of the line");
  expect(partOf("130429")).toContain("Wait, then retry");
  expect(partOf("131000")).toContain("do not resend");
});
