import { isIPv4 } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { MAX_IP_RANGES, readIpRanges } from "@/lib/api-keys/limit-fields";

const v4 = fc.ipV4();
const v6 = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => ipaddr.fromByteArray([...bytes]).toString());

/** As `callerIp` returns it: IPv4 in IPv6 as IPv4. */
const caller = fc.oneof(v4, v6).map((ip) => ipaddr.process(ip).toString());

/** The range of `length` bits that an address is in. */
const rangeOf = (ip: string, length: number): string => {
  const family = isIPv4(ip) ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${ip}/${length}`)}/${length}`;
};

const range = fc.tuple(caller, fc.nat(128)).map(([ip, length]) => rangeOf(ip, isIPv4(ip) ? length % 33 : length));

const only = (text: string) => readIpRanges([text]);
const faultOf = (text: string) => {
  const reading = only(text);
  return "faults" in reading ? reading.faults[0]?.fault : undefined;
};

describe("what is written", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7/32"],
    ["2001:DB8::1", "2001:db8::1/128"],
    ["2001:0db8:0000::/48", "2001:db8::/48"],
    ["::ffff:203.0.113.7", "203.0.113.7/32"],
    ["::ffff:203.0.113.0/120", "203.0.113.0/24"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::/0", "::/0"],
  ])("%s is %s", (text, expected) => {
    expect(only(text)).toEqual({ ranges: [expected] });
  });

  test.each([
    ["1.2.3.4/33", "a number from 0 to 32"],
    ["2001:db8::/129", "a number from 0 to 128"],
    ["203.0.113.0/", "a number from 0 to 32"],
    ["203.0.113.0/2 4", "a number from 0 to 32"],
    ["203.0.113.0/24/8", "a number from 0 to 32"],
    ["203.0.113.7/24", "Write 203.0.113.0/24 for the range, or 203.0.113.7."],
    ["::ffff:0/0", "Write ::/0 for the range, or ::ffff:0."],
    ["::ffff:0:0/95", "has IPv4 and IPv6 addresses"],
    ["fe80::1%eth0", "is not an IP address or range"],
    ["0x7f.1", "is not an IP address or range"],
    ["0313.0.113.9", "is not an IP address or range"],
    ["::ffff:0313.0.113.9", "is not an IP address or range"],
    ["3405803777", "is not an IP address or range"],
    ["127.1", "is not an IP address or range"],
    ["01.2.3.4", "is not an IP address or range"],
    ["example.com", "is not an IP address or range"],
    ["203.0.113.*", "is not an IP address or range"],
    ["203.0.113.1-9", "is not an IP address or range"],
    ["1.2.3.4\0", "is not an IP address or range"],
  ])("%s is refused: %s", (text, words) => {
    expect(faultOf(text)).toContain(words);
  });

  test("any text is a range or has a fault that quotes little of it, and what is taken is taken again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), range, caller), (text) => {
        const reading = only(text);
        if ("ranges" in reading) expect(readIpRanges(reading.ranges)).toEqual(reading);
        else expect(reading.faults[0]?.fault.length).toBeLessThan(250);
      }),
    );
  });

  test("blank lines and repetitions count for nothing, and a fault names its line", () => {
    expect(readIpRanges(["", " 203.0.113.0/24 ", "", "203.0.113.0/24"])).toEqual({ ranges: ["203.0.113.0/24"] });
    expect(readIpRanges(["203.0.113.0/24", "", "wrong", "::/0", "1.2.3.4/33"])).toEqual({
      faults: [
        { line: 3, fault: expect.stringContaining('"wrong"') },
        { line: 5, fault: expect.stringContaining('"1.2.3.4/33"') },
      ],
    });
  });

  test("10,000 lines are one fault", () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    expect(readIpRanges(lines)).toEqual({
      faults: [{ line: MAX_IP_RANGES + 1, fault: expect.stringContaining("at most 50 IP ranges, not 10,000") }],
    });
    expect(readIpRanges(lines.slice(0, MAX_IP_RANGES))).toMatchObject({ ranges: { length: MAX_IP_RANGES } });
  });
});
