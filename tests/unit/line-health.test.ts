import { describe, expect, test } from "vitest";
import { daysWords, type HealthFacts, problemsOf } from "@/lib/phone-numbers/health";
import type { NoticeDetail } from "@/lib/whatsapp/account-webhooks";

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
  notices: [{ kind: "THROUGHPUT_UPGRADE", event: "THROUGHPUT_UPGRADE", detail: {}, occurredAt: NOW }],
};

const noticed = (kind: string, event: string, detail: NoticeDetail = {}, occurredAt = NOW): Partial<HealthFacts> => ({
  notices: [{ kind, event, detail, occurredAt }],
});
const violated = (detail: NoticeDetail, occurredAt?: Date) =>
  noticed("violation", "ACCOUNT_VIOLATION", detail, occurredAt);
const banned = (state: string) => noticed("ban", "DISABLED_UPDATE", { state, date: "April 17, 2026" });
const restricted = (type: string, until: Date | null, remediation: string | null = null) =>
  noticed("restriction", "ACCOUNT_RESTRICTION", {
    restrictions: [{ type, until: until?.toISOString() ?? null, remediation }],
  });

const reported = (facts: Partial<HealthFacts>) =>
  problemsOf({ ...WELL, ...facts }, NOW).map(({ tone, remedy }) => `${tone} ${remedy}`);

test("a line of which everything is well has no problem", () => expect(problemsOf(WELL, NOW)).toEqual([]));

test.each<[string, Partial<HealthFacts>, string, boolean]>([
  ["a refused token", { tokenProblem: "190: expired", qualityRating: "RED" }, "Token refused", true],
  ["an expired token", { tokenExpiresAt: inDays(-1) }, "Token expired", true],
  ["a disabled account", banned("DISABLE"), "Account disabled", true],
  ["a deleted account", noticed("deletion", "ACCOUNT_DELETED"), "Account deleted", true],
  ["a banned number", noticed("status", "BANNED"), "Number banned", true],
  ["a ban to come", banned("SCHEDULE_FOR_DISABLE"), "Account will be disabled", false],
  ["red quality", { qualityRating: "RED" }, "Quality low", false],
])("%s says in a few words whether the line can send, worst first", (_, facts, title, stopsSends) => {
  const [worst] = problemsOf({ ...WELL, ...facts }, NOW);
  expect([worst?.title, worst?.stopsSends ?? false]).toEqual([title, stopsSends]);
});

describe("each problem is one sentence with one remedy", () => {
  const pinReset = (requester: string) => noticed("security", "PIN_RESET_REQUEST", { requester });
  const odd = noticed("error 999999", "ERROR_999999", { reason: "Odd" });
  const critical = { severity: "CRITICAL", state: "ACTIVE", description: "Gone." };
  const alerted = noticed("alert X 1", "PROFILE_PICTURE_LOST", critical);
  const untilWednesday = restricted("RESTRICTED_BIZ_INITIATED_MESSAGING", inDays(2), "Wait.");
  test.each<[string, Partial<HealthFacts>, string, RegExp]>([
    ["a refused token", { tokenProblem: "190: expired" }, "bad replaceToken", /refuses .* “190: expired”$/],
    ["an expired token", { tokenExpiresAt: inDays(-1) }, "bad replaceToken", /has expired/],
    ["six days left", { tokenExpiresAt: inDays(6) }, "caution replaceToken", /in 6 days;/],
    ["three hours left", { tokenExpiresAt: inDays(0.125) }, "caution replaceToken", /in 3 h;/],
    ["no subscription", { subscribedAt: null }, "bad subscribe", /not subscribed/],
    ["yellow quality", { qualityRating: "YELLOW" }, "caution templates", /quality is medium/],
    ["red quality", { qualityRating: "RED" }, "bad templates", /quality is low/],
    ["a banned number", noticed("status", "BANNED"), "bad check", /reports this number as banned. It cannot send/],
    ["a flagged number", noticed("flag", "FLAGGED"), "caution manager", /can still send; .* within seven days/],
    ["a restricted number", noticed("status", "RESTRICTED"), "caution check", /can still reply to customers/],
    ["a ban to come", banned("SCHEDULE_FOR_DISABLE"), "bad manager", /will disable .* on April 17, 2026; sends fail/],
    ["a ban", banned("DISABLE"), "bad manager", /has disabled .* on April 17, 2026, so sends are refused/],
    ["a ban that is new to us", banned("SOMETHING_ELSE"), "bad manager", /has disabled/],
    ["a deleted account", noticed("deletion", "ACCOUNT_DELETED"), "bad manager", /was deleted at WhatsApp/],
    ["a removed partner", noticed("partner", "PARTNER_REMOVED"), "bad manager", /access .* was removed/],
    ["a removed app", noticed("app", "PARTNER_APP_UNINSTALLED"), "bad manager", /app was removed/],
    ["a disconnected account", noticed("connection", "ACCOUNT_OFFBOARDED"), "bad manager", /disconnected from the/],
    ["a rejected account", noticed("review", "REVIEW_REJECTED"), "bad manager", /rejected .* in its review/],
    ["a violation", violated({ reason: "ADULT" }), "caution manager", /its policy \(adult\)/],
    ["a new PIN", noticed("security", "PIN_CHANGED"), "caution manager", /If your team did not do this/],
    ["a request to remove the PIN", pinReset("615"), "caution manager", /^User 615 of your Meta Business Suite asked/],
    ["a removed PIN", noticed("security", "PIN_REQUEST_SUCCESS"), "bad manager", /was turned off. .* Set a PIN/],
    ["a new security event", noticed("security", "NEW_THING"), "caution manager", /of this number: new thing/],
    ["a payment problem", noticed("error 131042", "ERROR_131042"), "bad manager", /has a payment problem. .* settle/],
    ["an error that is new to us", odd, "caution manager", /error 999999 .* It said: “Odd”$/],
    ["a rejected name", noticed("name", "NAME_REJECTED"), "caution manager", /The old name stays/],
    ["a critical alert", alerted, "bad manager", /alert: profile picture lost\. “Gone\.”/],
    [
      "a restriction",
      untilWednesday,
      "bad manager",
      /cannot start conversations until 2026-01-07 12:00 UTC\. Replies .*\. WhatsApp says: “Wait\.”$/,
    ],
    [
      "a restriction of numbers",
      restricted("RESTRICTED_ADD_PHONE_NUMBER_ACTION", null),
      "caution manager",
      /cannot add phone numbers\. Read/,
    ],
    [
      "a restriction that is new to us",
      restricted("RESTRICTED_X", null),
      "bad manager",
      /is restricted \(restricted x\)/,
    ],
    ["silence", { silence: { waiting: 214, sinceMs: 11_520_000 } }, "bad webhooks", /for 3 h while 214 sends wait/],
    ["no check yet", { tokenCheckedAt: null, subscribedAt: null }, "info check", /yet\.$/],
  ])("%s", (_, facts, expected, sentence) => {
    expect(reported(facts)).toEqual([expected]);
    expect(problemsOf({ ...WELL, ...facts }, NOW)[0]?.sentence).toMatch(sentence);
  });
});

test("what is broken comes before what will be", () => {
  expect(reported({ tokenExpiresAt: inDays(6), subscribedAt: null })).toEqual([
    "bad subscribe",
    "caution replaceToken",
  ]);
});

test("the worst comes first, and a dead token hides what no one could ask", () => {
  expect(reported({ tokenProblem: "190: x", subscribedAt: null, qualityRating: "RED" })).toEqual([
    "bad replaceToken",
    "bad templates",
  ]);
});

test.each<[string, Partial<HealthFacts>]>([
  ["a token with a month left", { tokenExpiresAt: inDays(30) }],
  ["a quality that WhatsApp does not know", { qualityRating: "UNKNOWN" }],
  ["a reinstated account", banned("REINSTATE")],
  ["a restriction of calls", restricted("RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN", null)],
  ["a restriction that has expired", restricted("RESTRICTED_BIZ_INITIATED_MESSAGING", NOW)],
  ["a flag of eight days", noticed("flag", "FLAGGED", {}, inDays(-8))],
  ["a number that is no longer flagged", noticed("flag", "UNFLAGGED")],
  ["a violation of long ago", violated({}, inDays(-31))],
  ["a removed partner, where a later check reached the account", noticed("partner", "PARTNER_REMOVED", {}, inDays(-1))],
  ["an added partner", noticed("partner", "PARTNER_ADDED")],
  ["an approved account", noticed("review", "REVIEW_APPROVED")],
  ["an alert that is over", noticed("alert X", "X", { state: "NONE", severity: "CRITICAL" })],
  ["a new PIN of eight days", noticed("security", "PIN_CHANGED", {}, inDays(-8))],
  ["an error of yesterday", noticed("error 131042", "ERROR_131042", {}, inDays(-1.1))],
  ["an error that clears on its own", noticed("error 130429", "ERROR_130429")],
  ["a word that we do not know", noticed("AD_ACCOUNT_LINKED", "AD_ACCOUNT_LINKED")],
  ["a disconnected line", { disconnectedAt: NOW, tokenProblem: "190: x" }],
  ["a line of the sandbox", { mode: "test", tokenCheckedAt: null, subscribedAt: null }],
])("%s is no problem", (_, facts) => expect(reported(facts)).toEqual([]));

test.each([
  [1.5, "90 min"],
  [25, "25 h"],
  [35, "35 h"],
  [37, "2 days"],
  [24 * 20, "20 days"],
])("what a token has left after %f hours is told in whole units: %s", (hours, words) =>
  expect(daysWords(hours * 3_600_000)).toBe(words),
);
