import { expect, test } from "vitest";
import { isPlan, monthlyLimit, PLANS } from "@/lib/core/plans";

test("a workspace's own limit holds under every plan, above or below it, even when it is zero", () => {
  for (const plan of Object.keys(PLANS).filter(isPlan)) {
    expect(monthlyLimit(plan, 0)).toBe(0);
    expect(monthlyLimit(plan, 250_000)).toBe(250_000);
  }
});

test("only the plans of the table are plans", () => {
  expect(isPlan("growth")).toBe(true);
  expect(isPlan("Growth")).toBe(false);
  expect(isPlan("toString")).toBe(false);
});
