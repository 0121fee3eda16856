import { byRole, DONE, type Entry, memberAction, ofWorkspace, pageAt, people, REFUSED } from "./entry";

const USAGE_PAGE = "dashboard/usage";
const CARD = `${USAGE_PAGE}/rate-card`;
const PRICES = "country,category,price,currency,valid from\nBR,utility,0.01,USD,2026-10-01";
const PRICE = { country: "FR", category: "utility", price: "0.01", currency: "USD", validFrom: "2026-10-01" };
const byOwners = byRole(DONE, REFUSED, REFUSED);

export const USAGE: Entry[] = [
  pageAt(USAGE_PAGE),
  pageAt(`${USAGE_PAGE}/costs`),
  pageAt(CARD),
  memberAction("uploadRateCard", CARD, { card: PRICES }, byOwners),
  memberAction("savePrice", CARD, PRICE, byOwners),
  memberAction("saveBudget", CARD, { budget: "100", budgetCurrency: "USD" }, byOwners),
  memberAction("deleteRateCard", CARD, {}, byOwners),
  ofWorkspace("GET", "costs", people(200, 404, 401)),
  ofWorkspace("GET", "usage", people(200, 404, 401)),
];
