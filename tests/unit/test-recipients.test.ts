import { describe, expect, test } from "vitest";
import { docsSource } from "@/lib/docs/docs-pages";
import { recipientRows } from "@/lib/docs/test-recipients";
import { GATEWAY_NUMBERS } from "@/lib/sandbox/gateway-numbers";
import { TEST_NUMBERS } from "@/lib/sandbox/recipients";

const row = (ending: string) => recipientRows().find(({ phone }) => phone === `447700900${ending}`);

describe("the table of test numbers", () => {
  // What the built server does with each is in tests/api/test-mode/test-mode.test.ts; here only that the words say the same.
  test.each([
    ["001", 201, false, null, "`SENT`."],
    ["006", 201, false, null, "`SENT`, then `DELIVERED`, then `READ`, each sent 3 times."],
    ["009", 201, false, 131026, "`FAILED`, then `DELIVERED`."],
    ["010", 201, false, null, "`PENDING` for 5 s, then `SENT`, then `DELIVERED`."],
    ["200", 400, false, 132000, "Nothing: it is `FAILED` at once."],
    ["502", 502, true, null, "Nothing: it stays `UNKNOWN`."],
    ["504", 502, true, null, "`SENT`, then `DELIVERED`, then `READ`."],
  ])("…%s", (ending, httpStatus, isUnknown, platformCode, follows) => {
    expect(row(ending)).toMatchObject({ httpStatus, isUnknown, platformCode, follows });
  });

  test("is the one thing that the page says of who writes back", () => {
    expect(row("300")?.follows).toContain("they write a text");
    const page = docsSource("/docs/testing").markdown;
    expect(page).not.toContain("never write back");
    expect(page).toContain("Only the test numbers above that say so write back.");
  });

  test("is what the dashboard offers, each number once", () => {
    const phones = [...recipientRows(), ...GATEWAY_NUMBERS].map(({ phone }) => phone);
    expect(TEST_NUMBERS.map(({ phone }) => phone)).toEqual(phones);
    expect(new Set(phones).size).toBe(phones.length);
  });
});
