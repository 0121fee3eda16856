import { randomInt } from "node:crypto";
import { act } from "./people";
import { sql } from "./rows";
import { report, type TestWorkspace } from "./workspace";

/** Numbers of two countries; no test of a run has the same one. */
export const newPhone = (country: "BR" | "GB" | "IN" = "BR"): string =>
  ({
    BR: `5511${randomInt(900_000_000, 999_999_999)}`,
    GB: `4474${randomInt(10_000_000, 99_999_999)}`,
    IN: `9198${randomInt(10_000_000, 99_999_999)}`,
  })[country];

export const pricing = (category: string, { billable = true, type = "regular" } = {}) => ({
  billable,
  pricing_model: "PMP",
  type,
  category,
});

type Sent = { to: string; category: string; billable?: boolean; status?: string; at?: string };

/** Sends a message whose status brings a price; `at` is when it was created. */
export const sendPriced = async (
  workspace: TestWorkspace,
  { to, category, billable = true, status = "delivered", at }: Sent,
): Promise<string> => {
  const { id, chatMessageId } = (await workspace.send({ type: "text", phone: to, content: "Hello" })).body.data;
  if (at) await sql`update messages set created_at = ${at} where id = ${id}`;
  await report(workspace, { id: chatMessageId ?? "", status, pricing: pricing(category, { billable }) });
  return id;
};

export const CARD_HEAD = "country,category,price,currency,valid from";

const RATE_CARD = "/dashboard/usage/rate-card";

/** An action on the rate card, as its page calls it. */
export const onRateCard = (
  { workspaceId, ...people }: TestWorkspace,
  name: "uploadRateCard" | "deleteRateCard" | "saveBudget" | "savePrice",
  { fields = {}, as = "owner" as const }: { fields?: Record<string, string>; as?: "owner" | "admin" | "member" } = {},
) => act(`app${RATE_CARD}/actions.ts#${name}`, { fields: { workspaceId, ...fields }, path: RATE_CARD, as: people[as] });

export const uploadCard = (workspace: TestWorkspace, ...rows: string[]) =>
  onRateCard(workspace, "uploadRateCard", { fields: { card: [CARD_HEAD, ...rows].join("\n") } });
