import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readQuery } from "@/lib/api/endpoint";
import { TEMPLATE_QUERY, writeCursor } from "@/lib/api/endpoints/list-templates";
import { issuesThrownBy } from "@/lib/http/issues";

const parse = (query: Record<string, string>) => readQuery(TEMPLATE_QUERY, new URLSearchParams(query));
const faultsOf = (query: Record<string, string>) => issuesThrownBy(() => void parse(query)).map(({ path }) => path);

describe("the query of a template list", () => {
  test("an empty query and an empty filter filter nothing", () => {
    expect(parse({ name: "" })).toEqual({ name: undefined });
  });

  test("a misspelt filter is a fault that names the right one, as in a body", () => {
    expect(faultsOf({ bogus: "1", limit: "0" })).toEqual(["limit", "bogus"]);
    expect(() => parse({ phone_number_id: "pn_1" })).toThrow("Did you mean `phoneNumberId`?");
  });

  test("a cursor comes back as what it was made of", () => {
    const part = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(part, part, part, (name, language, id) => {
        expect(parse({ cursor: writeCursor({ name, language, id }) }).cursor).toEqual({ name, language, id });
      }),
    );
  });

  test("throws nothing but VALIDATION_ERROR, whatever the query", () => {
    const name = fc.constantFrom("name", "language", "category", "phoneNumberId", "limit", "cursor");
    fc.assert(fc.property(fc.dictionary(name, fc.string({ unit: "binary" })), (query) => void faultsOf(query)));
  });

  test.each(["1", "100", "007"])("limit %s is fine", (limit) => {
    expect(faultsOf({ limit })).toEqual([]);
  });

  test.each(["0", "101", "-1", "1.5", "1e1", "", " 1", "１", "all"])("limit %j is not", (limit) => {
    expect(faultsOf({ limit })).toEqual(["limit"]);
  });

  test("all faults are reported at once", () => {
    const cursor = Buffer.from('["a","b"]').toString("base64url");
    expect(faultsOf({ name: "a\0", category: "c".repeat(513), limit: "x", cursor })).toEqual([
      "name",
      "category",
      "limit",
      "cursor",
    ]);
  });
});
