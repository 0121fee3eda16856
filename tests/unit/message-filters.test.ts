import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withQuery } from "@/lib/core/query-string";
import { isFiltered, readMessageFilters } from "@/lib/messages/list/log-view";

const fromAddress = (path: string) => Object.fromEntries(new URL(path, "http://localhost").searchParams);

describe("the filters of the message log", () => {
  test("survive the way through an address", () => {
    const filters = fc.record(
      {
        q: fc.constantFrom("+44 7700 900 126", "wamid.HBg+/=", "order-8812 & co", "msg_x"),
        status: fc.constantFrom("FAILED", "READ", "PENDING"),
        type: fc.constantFrom("text", "template"),
        line: fc.constant("pn_01kd7x2m9q"),
        template: fc.constant("order_ready"),
        key: fc.constant("key_01kd7x2m9q"),
        recipient: fc.constant("+44 (0)7700 900126"),
        code: fc.constantFrom("131026", "100"),
        from: fc.constant("2026-03-29"),
        to: fc.constant("2026-10-25"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (given) => {
        const read = readMessageFilters(given, "owner");
        expect(readMessageFilters(fromAddress(withQuery("/dashboard/messages", read)), "owner")).toEqual(read);
        expect(isFiltered(read)).toBe(Object.keys(given).length > 0);
      }),
    );
  });

  test("never throw, whatever an address holds, and keep nothing that a database refuses", () => {
    const names = fc.constantFrom("q", "status", "type", "line", "template", "key", "recipient", "code", "from", "to");
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.string()), fc.integer(), fc.constant("\0"));
    fc.assert(
      fc.property(fc.dictionary(names, value), (given) => {
        const read = readMessageFilters(given, "admin");
        for (const text of Object.values(read)) expect(text === undefined || !text.includes("\0")).toBe(true);
        expect(Number(read.code ?? 1)).toBeLessThan(2 ** 31);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ["status", "SENDING"],
    ["status", ["READ", "SENT"]],
    ["code", "0"],
    ["code", "99999999999"],
    ["from", "2026-02-30"],
    ["from", "0026-02-20"],
    ["line", "pn_x' or 1=1"],
    ["q", "   "],
  ])("%s %j counts as absent", (name, value) => {
    expect(isFiltered(readMessageFilters({ [name]: value }, "owner"))).toBe(false);
  });

  test("for members there are no keys, so none to filter by", () => {
    expect(readMessageFilters({ key: "key_01kd7x2m9q" }, "admin").key).toBe("key_01kd7x2m9q");
    expect(readMessageFilters({ key: "key_01kd7x2m9q" }, "member").key).toBeUndefined();
  });
});
