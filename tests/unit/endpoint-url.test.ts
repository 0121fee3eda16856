import { describe, expect, test } from "vitest";
import { readEndpointUrl, type UrlRules } from "@/lib/outgoing/endpoint-url";

const PUBLIC: UrlRules = { mode: "live", origin: "https://messages.example.com", allowed: ["orders.internal:8080"] };
const LOCAL: UrlRules = { mode: "test", origin: "http://localhost:3000", allowed: [] };

describe("an endpoint's URL is taken", () => {
  test.each([
    ["https://example.com/webhooks", PUBLIC, "https://example.com/webhooks"],
    ["https://EXAMPLE.com:8443/a?b=c#d", PUBLIC, "https://example.com:8443/a?b=c"],
    ["https://8.8.8.8/", PUBLIC, "https://8.8.8.8/"],
    ["http://orders.internal:8080/hook", PUBLIC, "http://orders.internal:8080/hook"],
    ["http://localhost:4000/hook", LOCAL, "http://localhost:4000/hook"],
    ["http://127.0.0.1:4000/hook", LOCAL, "http://127.0.0.1:4000/hook"],
    ["http://[::1]:4000/hook", LOCAL, "http://[::1]:4000/hook"],
  ])("%s", (given, rules, url) => {
    expect(readEndpointUrl(given, rules)).toEqual({ url });
  });
});

describe("an endpoint's URL is refused", () => {
  test.each([
    ["", PUBLIC, /Enter a full URL/],
    ["example.com/webhooks", PUBLIC, /Enter a full URL/],
    [`https://example.com/${"x".repeat(2_000)}`, PUBLIC, /more than 2000 characters/],
    [`https://example.com/${"é".repeat(400)}`, PUBLIC, /more than 2000 characters/],
    ["http://example.com/webhooks", PUBLIC, /must begin with https/],
    ["ftp://orders.internal:8080/", PUBLIC, /must begin with https/],
    ["https://user:secret@example.com/", PUBLIC, /must not contain a user name/],
    ["http://orders.internal/", PUBLIC, /must begin with https/],
    ["https://localhost/", PUBLIC, /public internet address/],
    ["https://a.localhost./", PUBLIC, /public internet address/],
    ["https://127.0.0.1/", PUBLIC, /public internet address/],
    ["https://2130706433/", PUBLIC, /public internet address/],
    ["https://0x7f.1/", PUBLIC, /public internet address/],
    ["https://[::ffff:10.0.0.1]/", PUBLIC, /public internet address/],
    ["https://169.254.169.254/latest/meta-data", PUBLIC, /public internet address/],
    ["http://localhost:4000/", { ...LOCAL, mode: "live" }, /must begin with https/],
    ["http://localhost:4000/", { ...LOCAL, origin: "https://messages.example.com" }, /must begin with https/],
    ["http://127.0.0.1.example.com/", LOCAL, /must begin with https/],
  ] as const)("%s", (given, rules, words) => {
    expect(readEndpointUrl(given, rules)).toEqual({ fault: expect.stringMatching(words) });
  });
});
