import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import { clientIp, rateLimitAddress, readCredentials, readIdempotencyKey } from "@/lib/http/request-headers";
import { callWith } from "../support/calls";

const codeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
};
const latin1 = fc.string({
  unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});

describe("readCredentials", () => {
  test("takes each half under either name, and nothing where two names disagree", () => {
    const of = (headers: Record<string, string>) => readCredentials(new Headers(headers));
    const pair = { apiKey: "k", apiSecret: "s" };
    expect(of({ apiKey: "k", apiSecret: "s" })).toEqual(pair);
    expect(of({ "X-API-Key": "k", "X-API-Secret": "s" })).toEqual(pair);
    expect(of({ apiKey: "k", "X-API-Secret": "s" })).toEqual(pair);
    expect(of({ apiKey: "k", "X-API-Key": "k", apiSecret: "s" })).toEqual(pair);
    for (const headers of [
      {},
      { apiKey: "k" },
      { apiSecret: "s" },
      { apiKey: "", apiSecret: "s" },
      { apiKey: "k", "X-API-Key": "other", apiSecret: "s" },
      { apiKey: "k", "X-API-Key": "", apiSecret: "s" },
      { apiKey: "k", apiSecret: "s", "X-API-Secret": "t" },
    ]) {
      expect(of(headers as Record<string, string>)).toBeUndefined();
    }
  });
});

describe("readIdempotencyKey", () => {
  const withHeader = (value: string) => callWith({ "Idempotency-Key": value });

  test("is the same from a header and from a body, in any script", () => {
    const printable = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(printable, (key) => {
        const asHeader = Buffer.from(key.trim(), "utf8").toString("latin1");
        fc.pre(!/[\0\r\n]/.test(asHeader) && asHeader.trim() === asHeader);
        const fromBody = codeOf(() => readIdempotencyKey(callWith(), key));
        const fromHeader = codeOf(() => readIdempotencyKey(withHeader(asHeader), undefined));
        expect(fromHeader).toEqual(key.trim() === "" ? expect.anything() : fromBody);
      }),
    );
  });

  test("throws nothing but VALIDATION_ERROR", () => {
    fc.assert(
      fc.property(latin1, fc.anything(), (header, field) => {
        const read = codeOf(() => readIdempotencyKey(withHeader(header), field));
        expect(read === undefined || typeof read === "string").toBe(true);
      }),
    );
  });

  test.each([
    ["blank", " ", "VALIDATION_ERROR"],
    ["255 emoji", "👋".repeat(255), "👋".repeat(255)],
    ["256 characters", "k".repeat(256), "VALIDATION_ERROR"],
    ["a line break inside", "a\nb", "VALIDATION_ERROR"],
    ["a line separator", "a\u2028b", "VALIDATION_ERROR"],
    ["a number", 7, "VALIDATION_ERROR"],
    ["quotes, literally", '"a"', '"a"'],
    ["blanks around", "  a ", "a"],
    ["null", null, undefined],
  ])("%s", (_name, field, expected) => {
    expect(codeOf(() => readIdempotencyKey(callWith(), field))).toBe(expected);
  });

  test("refuses a header that differs from the field, and a repeated one", () => {
    expect(codeOf(() => readIdempotencyKey(withHeader("a"), "a"))).toBe("a");
    expect(codeOf(() => readIdempotencyKey(withHeader("a"), "b"))).toBe("VALIDATION_ERROR");
    const repeated = ["apikey", "idempotency-key"];
    expect(codeOf(() => readIdempotencyKey({ ...withHeader("a"), repeated }, undefined))).toBe("VALIDATION_ERROR");
    const joined = { ...withHeader("a, a"), repeated: undefined };
    expect(codeOf(() => readIdempotencyKey(joined, undefined))).toBe("VALIDATION_ERROR");
    expect(codeOf(() => readIdempotencyKey(withHeader("a, a"), undefined))).toBe("a, a");
  });
});

describe("a client's address", () => {
  const SOCKET = "::ffff:192.0.2.1";
  type Settings = { peer?: string | undefined; trustedProxyHops?: number; isVercel?: boolean };
  const ip = (headers: Record<string, string>, { trustedProxyHops = 0, isVercel = false, ...given }: Settings = {}) =>
    clientIp({ headers: new Headers(headers), peer: SOCKET, ...given }, { trustedProxyHops, isVercel });
  const address = (...given: Parameters<typeof ip>) => rateLimitAddress(ip(...given));

  test("without proxies it is the socket's, whatever a client claims", () => {
    fc.assert(
      fc.property(latin1, (claim) => {
        expect(address({ "x-forwarded-for": claim, "x-vercel-forwarded-for": claim })).toBe("192.0.2.1");
      }),
    );
  });

  test("behind proxies it is counted from the right; what is left of them never counts", () => {
    const forwarded = "203.0.113.9, 198.51.100.7, 10.0.0.2";
    expect(address({ "x-forwarded-for": forwarded }, { trustedProxyHops: 1 })).toBe("10.0.0.2");
    expect(address({ "x-forwarded-for": forwarded }, { trustedProxyHops: 2 })).toBe("198.51.100.7");
    expect(address({ "x-forwarded-for": "198.51.100.7" }, { trustedProxyHops: 2 })).toBe("198.51.100.7");
    expect(address({}, { trustedProxyHops: 1 })).toBe("192.0.2.1");
    expect(address({ "x-forwarded-for": "nonsense" }, { trustedProxyHops: 1 })).toBe("192.0.2.1");
  });

  test("an address that browsers and libraries read differently is none", () => {
    for (const odd of ["0313.0.113.9", "203.0.113.011", "0x7f.0.0.1", "127.1", "3405803777", "::ffff:0313.0.113.9"]) {
      expect(address({ "x-forwarded-for": odd }, { trustedProxyHops: 1 })).toBe("192.0.2.1");
    }
  });

  test("where no socket is known, no one vouches for a header, so all are one client", () => {
    const options = { peer: undefined };
    const claims = { "x-forwarded-for": "203.0.113.9", "x-switchboard-socket-address": "192.0.2.1" };
    expect(address(claims, options)).toBe("unknown");
    expect(address({ "x-forwarded-for": "203.0.113.9" }, { ...options, trustedProxyHops: 1 })).toBe("203.0.113.9");
    expect(address({ "x-vercel-forwarded-for": "203.0.113.9" }, { ...options, isVercel: true })).toBe("203.0.113.9");
  });

  test("IPv6 counts by its /64, IPv4 in any dress as itself", () => {
    const of = (text: string) => address({}, { peer: text });
    expect(of("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(of("2001:db8:1:2::")).toBe(of("2001:db8:1:2:ffff::1"));
    expect(of("2001:db8:1:3::1")).not.toBe(of("2001:db8:1:2::1"));
    expect(of("[2001:db8:1:2::1]:443")).toBe("2001:db8:1:2::/64");
    expect(of("::1")).toBe("::1");
    expect(of("192.0.2.1:443")).toBe("192.0.2.1");
    expect(of("::ffff:c000:201")).toBe("192.0.2.1");
  });

  test("the ranges of a key see all of an IPv6 address, and IPv4 in any dress as itself", () => {
    const of = (text: string) => ip({}, { peer: text });
    expect(of("[2001:DB8:1:2::1]:443")).toBe("2001:db8:1:2::1");
    expect(of("fe80::1%eth0")).toBe("fe80::1");
    expect(of("::ffff:c000:201")).toBe("192.0.2.1");
    expect(of("nonsense")).toBe("unknown");
  });
});
