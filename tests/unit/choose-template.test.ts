import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import { chooseTemplate } from "@/lib/templates/choose-template";

const approved = (...languages: string[]) => languages.map((language) => ({ language, status: "APPROVED" }));
const paused = (language: string) => ({ language, status: "PAUSED" });

const choose = (
  variants: { language: string; status: string }[],
  language?: string,
  { isExact = false, similar }: { isExact?: boolean; similar?: string[] } = {},
): string => {
  try {
    return chooseTemplate(variants, { name: "order_ready", language, isExact, similar }).language;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code} ${error.details.field}: ${error.message}`;
  }
};

describe("without a language", () => {
  test("the one approved variant is meant, whatever waits beside it", () => {
    expect(choose([paused("de"), ...approved("en_US")])).toBe("en_US");
  });

  test("several approved variants are listed, none is picked", () => {
    expect(choose(approved("en_US", "de"))).toMatch(/^VALIDATION_ERROR templateLanguage: .*en_US, de/);
  });

  test("variants that are not approved are named with their status", () => {
    expect(choose([paused("de")])).toMatch(/^TEMPLATE_NOT_APPROVED templateName: .*de is PAUSED/);
  });
});

describe("with a language", () => {
  test("the exact code wins over its relatives", () => {
    expect(choose(approved("en_US", "en", "en_GB"), "en")).toBe("en");
  });

  test("an exact code that is not approved is refused, with an approved relative at hand", () => {
    expect(choose([paused("en"), ...approved("en_US")], "en")).toMatch(/^TEMPLATE_NOT_APPROVED .*en is PAUSED/);
  });

  test.each([
    ["en", ["en_US", "de"], "en_US"],
    ["en_US", ["en"], "en"],
    ["en-US", ["en_US", "en_GB"], "en_US"],
    ["en_us", ["en", "en_US"], "en_US"],
  ])("%s finds its one relative among %j", (language, languages, found) => {
    expect(choose(approved(...languages), language)).toBe(found);
  });

  test.each(["en_GB", "e", "eng", "de"])("%s never becomes en_US", (language) => {
    expect(choose(approved("en_US", "fr"), language)).toMatch(/^NOT_FOUND templateLanguage: .*approved in en_US, fr/);
  });

  test("several relatives are listed, none is picked", () => {
    expect(choose(approved("en_US", "en_GB"), "en")).toMatch(/^VALIDATION_ERROR templateLanguage: .*en_US, en_GB/);
  });

  test("a relative that is not approved is named with its status", () => {
    expect(choose([paused("en_US")], "en")).toMatch(/^TEMPLATE_NOT_APPROVED .*en_US is PAUSED/);
  });

  test("beside the caller's own components only the exact code will do", () => {
    expect(choose(approved("en_US"), "en", { isExact: true })).toMatch(/^NOT_FOUND templateLanguage: .*en_US/);
    expect(choose(approved("en_US"), "en_US", { isExact: true })).toBe("en_US");
  });
});

test("an unknown name is NOT_FOUND, with the names that resemble it", () => {
  expect(choose([], "en")).toMatch(/^NOT_FOUND templateName: No template "order_ready"/);
  expect(choose([], "en", { similar: ["order_ready_2"] })).toContain('Did you mean "order_ready_2"?');
});
