import { describe, expect, test } from "vitest";
import { readPhone } from "@/lib/core/phone";

describe("a recipient's number", () => {
  test.each([
    ["+44 (7700) 900-123", "447700900123"],
    ["44.7700.900.123", "447700900123"],
    ["(+44) 7700900123", "447700900123"],
    ["1234567", "1234567"],
    ["123456789012345", "123456789012345"],
  ])("%s is its digits", (given, phone) => {
    expect(readPhone(given)).toEqual({ phone });
  });

  test.each([
    ["00447700900123", "Send the country code first: 447700900123."],
    ["+00447700900123", "Send the country code first: 447700900123."],
    ["07700900123", "national"],
    ["+44 (0)7700 900123", "Leave it out: 447700900123."],
    ["+44 ( 0 ) 7700 900123", "Leave it out: 447700900123."],
    ["123456", "7 to 15"],
    ["1234567890123456", "has 16 digits"],
    ["", "has no digits"],
    ["+", "has no digits"],
    ["++447700900123", "not digits"],
    ["447700+900123", "not digits"],
    ["４４７７００９００１２３", "not digits"],
    ["٤٤٧٧٠٠٩٠٠١٢٣", "not digits"],
    ["447700900123\n", "not digits"],
    ["447700900123;DROP TABLE", "not digits"],
    ["44770090012x", "not digits"],
  ])("%j is refused with the right form", (given, words) => {
    expect(readPhone(given)).toEqual({ fault: expect.stringContaining(words) });
  });
});
