import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPublicAddress, literalAddress } from "@/lib/media/public-address";

describe("isPublicAddress", () => {
  test.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450:4001::1"])(
    "%s is public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    ["0.0.0.0", "this network"],
    ["0.1.2.3", "this network"],
    ["10.0.0.1", "private"],
    ["100.64.0.1", "carrier-grade NAT"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "cloud metadata"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.0.0.192", "reserved"],
    ["192.0.2.1", "documentation"],
    ["192.88.99.1", "6to4 relay"],
    ["192.168.1.1", "private"],
    ["198.18.0.1", "benchmarks"],
    ["203.0.113.9", "documentation"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::127.0.0.1", "compatible form of loopback"],
    ["::7f00:1", "compatible form of loopback"],
    ["::8.8.8.8", "compatible form"],
    ["::ffff:127.0.0.1", "mapped loopback"],
    ["::ffff:7f00:1", "mapped loopback"],
    ["::ffff:8.8.8.8", "mapped"],
    ["::ffff:0:127.0.0.1", "translated loopback"],
    ["64:ff9b::7f00:1", "NAT64 of loopback"],
    ["64:ff9b::808:808", "NAT64"],
    ["64:ff9b:1::a00:1", "local NAT64"],
    ["2002:7f00:1::", "6to4 of loopback"],
    ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"],
    ["2001:db8::1", "documentation"],
    ["3fff::1", "documentation"],
    ["100::1", "discard"],
    ["5f00::1", "segment routing"],
    ["fc00::1", "unique local"],
    ["fd00:ec2::254", "cloud metadata"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local with a zone"],
    ["fec0::1", "site-local"],
    ["ff02::1", "multicast"],
  ])("%s is not: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "",
    "localhost",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "010.8.8.8",
    "8.8.8",
    "8.8.8.8 ",
    "[2606:4700::1]",
    "8.8.8.8/32",
  ])("%j is no address that a lookup gives, so it is refused", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("no IPv6 address that carries a private IPv4 one passes", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::"),
        fc.tuple(octet, octet, octet),
        (prefix, rest) => {
          expect(isPublicAddress(`${prefix}10.${rest.join(".")}`)).toBe(false);
        },
      ),
    );
  });

  test("any text gets an answer", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof isPublicAddress(text)).toBe("boolean");
      }),
    );
  });
});

describe("literalAddress", () => {
  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://①②⑦.0.0.1/",
    "http://127。0。0。1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://0/",
  ])("%s is a literal, and not public", (link) => {
    const address = literalAddress(new URL(link).hostname);
    expect(address).toBeDefined();
    expect(isPublicAddress(address ?? "8.8.8.8")).toBe(false);
  });

  test("a name is no literal", () => {
    expect(literalAddress(new URL("https://media.example.com/a.png").hostname)).toBeUndefined();
    expect(literalAddress("localhost")).toBeUndefined();
  });
});
