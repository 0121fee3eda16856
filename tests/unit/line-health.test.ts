import { describe, expect, test } from "vitest";
import { type HealthFacts, problemsOf } from "@/lib/phone-numbers/health";

const NOW = new Date("2026-01-05T12:00:00Z");
const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 60 * 60 * 1_000);

const WELL: HealthFacts = {
  mode: "live",
  isActive: true,
  disconnectedAt: null,
  tokenProblem: null,
  tokenCheckedAt: NOW,
  tokenExpiresAt: null,
  subscribedAt: NOW,
  qualityRating: "GREEN",
  platformEvent: "THROUGHPUT_UPGRADE",
};

const told = (facts: Partial<HealthFacts>) =>
  problemsOf({ ...WELL, ...facts }, NOW).map(({ tone, remedy }) => `${tone} ${remedy}`);

test("a line of which everything is well has no problem", () => expect(problemsOf(WELL, NOW)).toEqual([]));

describe("each problem is one sentence with one remedy", () => {
  test.each<[string, Partial<HealthFacts>, string, RegExp]>([
    ["a refused token", { tokenProblem: "190: expired" }, "bad replaceToken", /refuses .* “190: expired”$/],
    ["an expired token", { tokenExpiresAt: inDays(-1) }, "bad replaceToken", /has expired/],
    ["six days left", { tokenExpiresAt: inDays(6) }, "caution replaceToken", /in 6 days;/],
    ["three hours left", { tokenExpiresAt: inDays(0.125) }, "caution replaceToken", /in 3 h;/],
    ["no subscription", { subscribedAt: null }, "bad subscribe", /not subscribed/],
    ["yellow quality", { qualityRating: "YELLOW" }, "caution templates", /quality is medium/],
    ["red quality", { qualityRating: "RED" }, "bad templates", /quality is low/],
    ["a banned number", { platformEvent: "BANNED" }, "bad check", /calls this number banned/],
    ["silence", { silence: { waiting: 214, sinceMs: 11_520_000 } }, "bad webhooks", /for 3 h while 214 sends wait/],
    ["no check yet", { tokenCheckedAt: null, subscribedAt: null }, "info check", /yet\.$/],
  ])("%s", (_, facts, expected, sentence) => {
    expect(told(facts)).toEqual([expected]);
    expect(problemsOf({ ...WELL, ...facts }, NOW)[0]?.sentence).toMatch(sentence);
  });
});

test("what is broken comes before what will be", () => {
  expect(told({ tokenExpiresAt: inDays(6), subscribedAt: null })).toEqual(["bad subscribe", "caution replaceToken"]);
});

test("the worst comes first, and a dead token hides what nobody could ask", () => {
  expect(told({ tokenProblem: "190: x", subscribedAt: null, qualityRating: "RED" })).toEqual([
    "bad replaceToken",
    "bad templates",
  ]);
});

test.each<[string, Partial<HealthFacts>]>([
  ["a token with a month left", { tokenExpiresAt: inDays(30) }],
  ["a quality that the platform does not know", { qualityRating: "UNKNOWN" }],
  ["a disconnected line", { disconnectedAt: NOW, tokenProblem: "190: x" }],
  ["a line of the sandbox", { mode: "test", tokenCheckedAt: null, subscribedAt: null }],
])("%s is no problem", (_, facts) => expect(told(facts)).toEqual([]));
