import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deviceName, maskedAddress } from "@/lib/sessions/device";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0";

describe("a browser's name", () => {
  test.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [`${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Windows"],
    [`${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge on Windows"],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Safari/605.1.15`, "Safari on macOS"],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${APPLE} Mobile/15E148 Safari/604.1`, "Safari on iOS"],
    [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
    ["curl/8.5.0", "curl"],
    ["Mozilla/5.0 (X11; Linux x86_64)", "Unknown browser on Linux"],
    ["node", "Unknown browser"],
    [null, "Unknown browser"],
  ])("%s", (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });

  test("is one of a few, whatever a client sends", () => {
    fc.assert(fc.property(fc.string(), (text) => /^[A-Za-z ]{4,40}$/.test(deviceName(text))));
  });
});

describe("an address in a list", () => {
  test.each([
    ["203.0.113.77", "203.0.113.x"],
    ["::ffff:203.0.113.77", "203.0.113.x"],
    ["2001:db8:1:2::/64", "2001:db8:1::"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["fe80::1:2:3:4", "fe80::"],
    ["::1", "::1"],
    ["unknown", "unknown"],
    ["", "unknown"],
  ])("%s", (address, masked) => {
    expect(maskedAddress(address)).toBe(masked);
  });

  test("names no single machine", () => {
    fc.assert(fc.property(fc.ipV4(), (address) => maskedAddress(address) !== address));
    fc.assert(fc.property(fc.ipV6(), (address) => maskedAddress(address).split(":").length <= 5));
  });
});
