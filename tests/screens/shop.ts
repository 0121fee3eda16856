import { createHash } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { closePools } from "@/db/client";
import { makeOperatorsResetLink } from "@/lib/auth/reset-password";
import { provenWorkspaceId } from "@/lib/core/principal";
import { changeBudget, replaceRateCard } from "@/lib/costs/change-rate-card";
import { readRateCard } from "@/lib/costs/rate-card";
import { rollUp } from "@/lib/messages/usage/roll-up";
import { readDocument } from "@/lib/operations/document";
import { command } from "@/lib/workspaces/record-audit";
import { provisionDocument } from "../../scripts/provision-document";
import { testServers } from "../support/environment";
import type { Shown } from "../support/pages";
import {
  countTraffic,
  fillContacts,
  fillEvents,
  fillTraffic,
  prepareConnection,
  type Traffic,
} from "../support/traffic";
import type { Sign } from "../support/workspace";
import { acmePlants, SENT_TEMPLATES } from "./acme-plants";
import { openEndpoints } from "./endpoints";
import { age, audit, invite, noteWebhooks } from "./history";

const DAYS = 24;
const LIVE_MESSAGES = 7_400;
const TEST_MESSAGES = 160;
const CONTACTS = 180;
/** Numbers that belong to nobody: Ofcom keeps 07700 900000 to 900999 for drama. */
const PHONES_FROM = 447_700_900_300;

export type Shop = { shown: Shown; invitation: string; resetToken: string };

/** "Acme Plants" after some months of use; `owner` can sign in to it. */
export const openShop = async (owner: Sign): Promise<Shop> => {
  const { baseUrl, environment } = testServers();
  Object.assign(process.env, environment);
  const reading = readDocument({ workspaces: [acmePlants({ owner, baseUrl })] });
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  const [workspace] = (await provisionDocument(reading.document)).workspaces;
  if (!workspace) throw new Error("provisioned nothing");
  const { id: workspaceId, phoneNumbers } = workspace;
  const lines = (...refs: string[]) => refs.map((ref) => phoneNumbers[ref] ?? "");
  const sql = postgres(environment.DATABASE_URL ?? "", { max: 1, onnotice: () => undefined });
  try {
    await prepareConnection(sql);
    await fillContacts(sql, { workspaceId, count: CONTACTS, phonesFrom: PHONES_FROM });
    const keys = await sql<{ ref: string; id: string }[]>`
      select ref, id from api_keys where workspace_id = ${workspaceId}`;
    const keyIds = (...refs: string[]) => refs.map((ref) => keys.find((key) => key.ref === ref)?.id ?? "");
    const traffic = { workspaceId, templates: SENT_TEMPLATES, days: DAYS, loggedShare: 1 };
    const live: Traffic = {
      ...traffic,
      mode: "live",
      messages: LIVE_MESSAGES,
      lineIds: lines("orders", "support"),
      keyIds: keyIds("production", "webshop"),
    };
    const test: Traffic = {
      ...traffic,
      mode: "test",
      messages: TEST_MESSAGES,
      firstNumber: LIVE_MESSAGES + 1,
      lineIds: lines("test"),
      keyIds: keyIds("staging"),
    };
    for (const one of [live, test]) await fillTraffic(sql, one);
    await fillEvents(sql, { workspaceId, newest: LIVE_MESSAGES });
    await countTraffic(sql, workspaceId);
    const invitation = "acme-plants-invitation-only-for-its-picture";
    await age(sql, { workspaceId });
    await invite(sql, { workspaceId, tokenHash: createHash("sha256").update(invitation).digest() });
    const { token: resetToken } = await makeOperatorsResetLink("theo@acme-plants.example", command("reset-password"));
    await audit(sql, { workspaceId });
    await noteWebhooks(sql, { workspaceId });
    // Without it the database knows nothing of what has just been filled, and counts it the long way.
    await sql`analyze`;
    await priceMessages(workspaceId);
    await rollUp();
    const endpoint = await openEndpoints(sql, workspaceId);
    return { shown: { ...(await chosen(sql, workspaceId)), ...endpoint }, invitation, resetToken };
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), closePools()]);
  }
};

/** A rate card that does not know every country, and a budget that is nearly used. */
const priceMessages = async (workspaceId: string): Promise<void> => {
  const card = readRateCard(
    [
      "country,category,price,currency,valid from",
      "GB,utility,0.0159,GBP,2026-01-01",
      "GB,marketing,0.0382,GBP,2026-01-01",
      "Germany,utility,0.0398,GBP,2026-01-01",
      "Germany,marketing,0.0989,GBP,2026-01-01",
      "Rest of Western Europe,utility,0.0124,GBP,2026-01-01",
      "BR,marketing,0.0625,USD,2026-01-01",
    ].join("\n"),
  );
  const [id, by] = [provenWorkspaceId(workspaceId), command("screens")];
  await replaceRateCard(id, card, by);
  await changeBudget(id, { budget: "60", budgetCurrency: "GBP" }, by);
};

type Chosen = Omit<Shown, "endpointId" | "deliveryId">;

/** What has most to show: a failure that is explained, a call that was refused, the line that needs attention. */
const chosen = async (sql: Sql, workspaceId: string): Promise<Chosen> => {
  const [row] = await sql<Chosen[]>`
    select m.id as "messageId", m.contact_id as "contactId", r.id as "requestId", l.id as "phoneNumberId",
      t.id as "templateId", k.id as "keyId"
    from (select * from messages where workspace_id = ${workspaceId} and mode = 'live' and failure_code = 131026
        order by created_at desc limit 1) m,
      (select * from api_requests where workspace_id = ${workspaceId} and mode = 'live' and error_code = 'VALIDATION_ERROR'
        order by at desc limit 1) r,
      phone_numbers l, templates t, api_keys k
    where l.workspace_id = ${workspaceId} and l.ref = 'support' and k.workspace_id = ${workspaceId} and k.ref = 'production'
      and t.workspace_id = ${workspaceId} and t.mode = 'live' and t.name = 'new_arrivals'`;
  if (!row) throw new Error("the shop has nothing to show");
  await changeNumber(sql, workspaceId, row.contactId);
  return row;
};

/** The person has had another number until last week. */
const changeNumber = (sql: Sql, workspaceId: string, contactId: string) => sql`
  insert into contact_names (workspace_id, contact_id, name, account, first_seen_at, last_seen_at, left_at, is_left)
  select ${workspaceId}, ${contactId}, name, account, now() - interval '80 days', now() - interval '9 days', ends_at, is_left
  from (values
    ('447700900377', '', now() - interval '7 days', true), ('GB.7402918365120944', 'acme', now() - interval '7 days', true),
    ('GB.8120557730129488', 'acme', null, false)
  ) former (name, account, ends_at, is_left)`;
