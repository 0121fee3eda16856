import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterOf, readTemplateFilter, templatesHref } from "@/app/dashboard/templates/list-address";

const parametersOf = (href: string) => Object.fromEntries(new URL(href, "http://localhost").searchParams);

describe("the filters of the list of templates", () => {
  test("survive the way through an address, with the place in the list", () => {
    const word = fc.stringMatching(/^[\w&=+%~-]{1,20}$/);
    const place = fc.record({
      name: fc.oneof(fc.stringMatching(/^[a-z_]{1,10}$/), fc.constant("n".repeat(512))),
      language: fc.constant("en_US"),
      id: fc.constant("tpl_1"),
    });
    const filters = fc.record({ q: word, status: word, category: word, language: word }, { requiredKeys: [] });
    fc.assert(
      fc.property(filters, place, (given, after) => {
        expect(readTemplateFilter(parametersOf(templatesHref(given, afterOf(after))))).toEqual({ ...given, after });
      }),
    );
  });

  test("never throw, whatever an address holds, and keep nothing that a database refuses", () => {
    const names = fc.constantFrom("q", "status", "category", "language", "after");
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.string()),
      fc.integer(),
      fc.constantFrom("\0", "a\0b"),
    );
    fc.assert(
      fc.property(fc.dictionary(names, value), (given) => {
        expect(JSON.stringify(readTemplateFilter(given))).not.toContain("\\u0000");
      }),
    );
  });
});
