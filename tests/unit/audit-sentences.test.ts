import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { auditSentence } from "@/lib/workspaces/audit-sentences";

const source = readFileSync("lib/workspaces/audit-sentences.ts", "utf8");
const ACTIONS = [...source.matchAll(/^ {2}"([\w.]+)":/gm)].map(([, action = ""]) => action);

const AT = new Date("2026-11-22T09:43:00Z");
type Row = Parameters<typeof auditSentence>[0];

const say = (row: Partial<Row> & { action: string }) =>
  auditSentence({ targetName: "production", before: null, after: {}, at: AT, ...row }, "Europe/Berlin");

test("every action of the log has its sentence, which names what was changed", () => {
  expect(ACTIONS.length).toBeGreaterThan(30);
  const counts = { created: 2, deliveries: 3, messages: 1, prices: 4 };
  const price = { price: "0.01", currency: "USD", country: "GB", category: "utility" };
  const fields = { mode: "live", role: "admin", email: "kim@acme.test", ...counts, ...price };
  for (const action of ACTIONS) {
    const sentence = say({ action, before: { role: "member", label: "old" }, after: { ...fields, label: "new" } });
    expect(sentence, action).toMatch(/^[a-z]+ .{5,}/);
    expect(sentence, action).not.toMatch(/did this|undefined|null|NaN|none/);
    const isOfThing = /^(apiKey|phoneNumber|template|webhookEndpoint)\.(?!renamed)/.test(action);
    if (isOfThing && action !== "phoneNumber.changed") expect(sentence, action).toContain("production");
  }
  expect(say({ action: "thing.ofTomorrow" })).toBe("did this: Thing of tomorrow");
});

const UNTIL = { overlap: "24h", previousSecretEndsAt: "2026-11-23T10:43:00.000Z" };
const DAY = { overlapMinutes: 1440 };
const AT_ONCE = { overlap: "now", previousSecretEndsAt: null };
const BUDGET = { budget: "250.00", budgetCurrency: "EUR" };
test.each<[string, Row["before"], Row["after"], string]>([
  ["apiKey.rotated", null, UNTIL, "rotated key production; the old secret works until 23 Nov, 11:43"],
  ["apiKey.rotated", null, DAY, "rotated key production; the old secret works until 23 Nov, 10:43"],
  ["apiKey.rotated", null, AT_ONCE, "rotated key production; the old secret stopped at once"],
  ["member.changed", { role: "member" }, { role: "admin" }, "changed the role of production from member to admin"],
  ["phoneNumber.changed", { label: "A" }, { label: "B" }, "renamed line A to B"],
  ["phoneNumber.changed", { isActive: true }, { isActive: false }, "paused sending from line production"],
  ["workspace.changed", { timeZone: "UTC" }, { timeZone: "Europe/Berlin" }, "changed time zone of the workspace"],
  ["rateCard.budgetChanged", { budget: null }, BUDGET, "set the monthly budget to 250.00 EUR"],
  ["rateCard.budgetChanged", { budget: "250.00" }, { budget: null }, "removed the monthly budget"],
  ["workspace.limitChanged", { messageLimit: 5000 }, { messageLimit: null }, "reset the monthly limit to the plan’s"],
])("%s %o → %o reads as a sentence", (action, before, after, sentence) => {
  expect(say({ action, before, after })).toBe(sentence);
});

test("a thing that is gone keeps the name of its row", () => {
  expect(say({ action: "webhookEndpoint.deleted", targetName: null, before: { label: "shop" } })).toBe(
    "deleted webhook shop",
  );
});
