import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markOf, portfoliosOf, usedPeople } from "@/lib/phone-numbers/portfolios";
import { limitWord, peopleOf } from "@/lib/phone-numbers/words";

type Line = Parameters<typeof portfoliosOf>[0][number];

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 26, 12, minutes));
const line = (label: string, account: string, more: Partial<Line> = {}): Line => ({
  label,
  whatsappBusinessAccountId: account,
  messagingLimit: "TIER_2K",
  tokenCheckedAt: at(0),
  notices: [],
  ...more,
});
const limitNotice = (kind: string, limit: string, minutes: number) => ({
  kind,
  event: "UPDATE",
  detail: { limit },
  occurredAt: at(minutes),
});
const account = (id: string, portfolioId: string | null, peopleBegun = 0) => ({
  whatsappBusinessAccountId: id,
  portfolioId,
  portfolioName: portfolioId && `Portfolio ${portfolioId}`,
  peopleBegun,
});

describe("the mark of a limit", () => {
  test.each([
    [0, 2_000, undefined],
    [1_599, 2_000, undefined],
    [1_600, 2_000, 80],
    [1_999, 2_000, 80],
    [2_000, 2_000, 100],
    [2_001, 2_000, 100],
    [199, 250, undefined],
    [200, 250, 80],
    [5, 0, 100],
    [1_000_000, null, undefined],
  ])("of %s people with a limit of %s is %s", (people, limit, mark) => {
    expect(markOf({ people, limit })).toBe(mark);
  });

  test("never falls as people are added, and is 80 exactly from four fifths on", () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 100_000 }), (people, limit) => {
        const mark = markOf({ people, limit }) ?? 0;
        expect(mark >= 80).toBe(people / limit >= 0.8);
        expect(mark === 100).toBe(people >= limit);
        expect(markOf({ people: people + 1, limit }) ?? 0).toBeGreaterThanOrEqual(mark);
      }),
    );
  });
});

describe("a limit's words", () => {
  test.each([
    ["TIER_250", 250, "250 people a day"],
    ["TIER_2K", 2_000, "2,000 people a day"],
    ["TIER_2000", 2_000, "2,000 people a day"],
    ["TIER_100K", 100_000, "100,000 people a day"],
    ["TIER_UNLIMITED", null, "Any number of people a day"],
    ["TIER_NOT_SET", null, "Tier not set"],
    [null, null, null],
  ])("%s is %s people", (tier, people, words) => {
    expect([peopleOf(tier), limitWord(tier)]).toEqual([people, words]);
  });

  test("with their use", () => {
    expect(usedPeople({ people: 1_640, limit: 2_000 })).toBe("1,640 of 2,000 people");
    expect(usedPeople({ people: 1_640, limit: null })).toBe("1,640 people");
  });
});

describe("portfolios", () => {
  test("lines of two accounts of a portfolio are one, and its people are not added up", () => {
    const accounts = [account("1", "p", 7), account("2", "p", 7), account("3", "q", 2)];
    expect(portfoliosOf([line("a", "1"), line("b", "2"), line("c", "3")], accounts)).toEqual([
      { id: "p", name: "Portfolio p", lines: ["a", "b"], tier: "TIER_2K", limit: 2_000, people: 7 },
      { id: "q", name: "Portfolio q", lines: ["c"], tier: "TIER_2K", limit: 2_000, people: 2 },
    ]);
  });

  test("an account whose portfolio is not readable, or that is not known yet, stands for itself", () => {
    expect(portfoliosOf([line("a", "1"), line("b", "2")], [account("1", null, 3)])).toMatchObject([
      { id: "1", name: "Account 1", people: 3 },
      { id: "2", name: "Account 2", people: 0 },
    ]);
  });

  test("a limit that no line knows is not known", () => {
    expect(portfoliosOf([line("a", "1", { messagingLimit: null })], [])).toMatchObject([{ tier: null, limit: null }]);
  });

  test("the limit is what was reported last, by a check or a notice of any line, whatever their order", () => {
    const lines = [
      line("checked", "1", { messagingLimit: "TIER_10K", tokenCheckedAt: at(5) }),
      line("noticed", "2", { messagingLimit: "TIER_100K", notices: [limitNotice("capability", "TIER_100K", 9)] }),
      line("unknown", "3", { messagingLimit: null, tokenCheckedAt: at(20) }),
      line("never", "4", { messagingLimit: "TIER_250", tokenCheckedAt: null }),
    ];
    const accounts = ["1", "2", "3", "4"].map((id) => account(id, "p"));
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: 4 }), (shuffled) => {
        expect(portfoliosOf(shuffled, accounts)).toMatchObject([{ tier: "TIER_100K", limit: 100_000 }]);
      }),
    );
  });

  test("of two reports at once the lower limit counts", () => {
    const lines = [
      line("a", "1", { messagingLimit: "TIER_UNLIMITED" }),
      line("b", "1", { messagingLimit: "TIER_250" }),
    ];
    expect(portfoliosOf(lines, [])).toMatchObject([{ limit: 250 }]);
    expect(portfoliosOf(lines.toReversed(), [])).toMatchObject([{ limit: 250 }]);
  });
});
