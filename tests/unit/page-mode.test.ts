import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inMode, readMode, switchModeHref } from "@/lib/core/page-mode";

describe("a link", () => {
  test.each([
    ["/dashboard", "/dashboard?mode=test"],
    ["/dashboard/messages?status=FAILED", "/dashboard/messages?status=FAILED&mode=test"],
    ["/dashboard/phone-numbers/new#test", "/dashboard/phone-numbers/new?mode=test#test"],
    ["/dashboard/messages?mode=live", "/dashboard/messages?mode=live"],
    ["/docs/testing", "/docs/testing"],
    ["/dashboards", "/dashboards"],
    ["/api/v1/workspaces/ws_1/usage", "/api/v1/workspaces/ws_1/usage"],
    ["#values", "#values"],
  ])("to %s in test mode is %s", (href, expected) => {
    expect(inMode(href, "test")).toBe(expected);
    expect(inMode(href, undefined)).toBe(href);
  });

  test("keeps every other parameter as it is", () => {
    const parameters = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })));
    fc.assert(
      fc.property(parameters, (given) => {
        const before = given.filter(([name]) => name !== "mode");
        const href = inMode(`/dashboard/messages?${new URLSearchParams(before)}`, "live");
        expect([...new URL(href, "http://a.test").searchParams]).toEqual([
          ...new URLSearchParams(before),
          ["mode", "live"],
        ]);
      }),
    );
  });
});

describe("the switch", () => {
  test("keeps the filters that both modes have, and drops lines, keys and places of one mode", () => {
    const search = new URLSearchParams("status=FAILED&line=pn_1&key=key_1&older=9&refresh=on&mode=live&workspace=ws_1");
    expect(switchModeHref("test", "/dashboard/messages", search)).toBe(
      "/dashboard/messages?status=FAILED&refresh=on&mode=test",
    );
  });

  test("empties the page to send from: a message or a template belongs to one mode", () => {
    const search = new URLSearchParams("sent=msg_1&template=tpl_1&values=%7B%7D&mode=live");
    expect(switchModeHref("test", "/dashboard/send", search)).toBe("/dashboard/send?mode=test");
  });
});

describe("pages", () => {
  test("take no other word for a mode", () => {
    for (const given of [undefined, "", "LIVE", "prod", ["live", "test"], null, 1])
      expect(readMode(given)).toBeUndefined();
  });
});
