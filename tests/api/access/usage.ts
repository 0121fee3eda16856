import { api, byRole, DONE, type Entry, memberAction, NO_ID, page, people, REFUSED, signedIn } from "./entry";

const CARD = "dashboard/usage/rate-card";
const byOwners = byRole(DONE, REFUSED, REFUSED);

export const USAGE: Entry[] = [
  page("dashboard/usage/", () => "/dashboard/usage", signedIn(200)),
  page("dashboard/usage/costs/", () => "/dashboard/usage/costs", signedIn(200)),
  page(`${CARD}/`, () => `/${CARD}`, signedIn(200)),
  memberAction(
    "uploadRateCard",
    CARD,
    () => ({ card: "country,category,price,currency,valid from\nBR,utility,0.01,USD,2026-10-01" }),
    byOwners,
  ),
  memberAction(
    "savePrice",
    CARD,
    () => ({ country: "FR", category: "utility", price: "0.01", currency: "USD", validFrom: "2026-10-01" }),
    byOwners,
  ),
  memberAction("saveBudget", CARD, () => ({ budget: "100", budgetCurrency: "USD" }), byOwners),
  memberAction("deleteRateCard", CARD, () => ({}), byOwners),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/costs",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/costs`,
    people(200, 404, 401),
    { absentId: NO_ID("ws") },
  ),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/usage",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/usage`,
    people(200, 404, 401),
    { absentId: NO_ID("ws") },
  ),
];
