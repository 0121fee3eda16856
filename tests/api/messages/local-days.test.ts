import { describe, expect, test } from "vitest";
import { onSql } from "@/db/raw-sql";
import { addDays, dayStart, daysBetween, localDay } from "@/lib/core/local-time";
import { provenWorkspaceId } from "@/lib/core/principal";
import { listBudgets, listCosts } from "@/lib/costs/queries";
import { getCostReport } from "@/lib/costs/report-queries";
import { countMessages, listMessages } from "@/lib/messages/list/log-queries";
import { readMessageFilters } from "@/lib/messages/list/log-view";
import { listStatusCounts } from "@/lib/messages/usage/usage-queries";
import { sql } from "../../support/rows";
import { sweep } from "../../support/sweep";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const MINUTE_MS = 60_000;

/** Moments around midnights and changes of clocks, of which zone data of different years say different things. */
const moments = (...around: string[]): Date[] =>
  around.flatMap((at) =>
    [-95, -61, -31, -16, -1, 0, 14, 29, 45, 61].map((min) => new Date(Date.parse(at) + min * MINUTE_MS)),
  );

const fill = async ({ workspaceId, ...workspace }: TestWorkspace, at: readonly Date[]) => {
  await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  await sql`
    insert into messages (workspace_id, id, mode, api_key_id, phone_number_id, contact_id, phone, type, fingerprint, phase,
      lease_expires_at, status, created_at, pricing_billable, pricing_type, pricing_category, pricing_model, priced_at, recipient_country)
    select workspace_id, 'msg_' || lpad(n::text, 26, '0'), mode, api_key_id, phone_number_id, contact_id, phone, type,
      fingerprint, 'SENT', now(), 'DELIVERED', at::timestamptz, true, 'regular', 'utility', 'PMP', now(), 'GB'
    from messages, json_array_elements_text(${JSON.stringify(at)}::text::json) with ordinality as given (at, n)
    where workspace_id = ${workspaceId}`;
  await sql`delete from messages where workspace_id = ${workspaceId} and status <> 'DELIVERED'`;
};

const sumsOf = <Row>(rows: readonly Row[], day: (row: Row) => string, count: (row: Row) => number) => {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[day(row)] = (sums[day(row)] ?? 0) + count(row);
  return Object.fromEntries(Object.entries(sums).toSorted());
};

/** A price of 1 for every message, and a budget: its alerts, and their mails, say what is spent of it. */
const price = ({ workspaceId }: TestWorkspace) => sql`
    with card as (insert into rate_cards (workspace_id, budget, budget_currency) values (${workspaceId}, 100, 'EUR'))
    insert into rates (workspace_id, country, category, is_regional, valid_from, price, currency)
    values (${workspaceId}, '*', 'utility', false, '2020-01-01', 1, 'EUR')`;

const monthOf = (day: string): string => day.slice(0, "2026-01".length);

/** The last moment of a local month. */
const endOfMonth = (month: string, timeZone: string): Date => {
  const next = monthOf(addDays(`${month}-01`, 31));
  return new Date(dayStart(`${next}-01`, timeZone).getTime() - 1);
};

/** What each reader says of the days in which the messages were sent. */
const readDays = async ({ workspaceId: id }: TestWorkspace, timeZone: string, at: readonly Date[]) => {
  const workspaceId = provenWorkspaceId(id);
  const names = at.map((one) => localDay(one, timeZone)).toSorted();
  const days = daysBetween(names[0] ?? "", names.at(-1) ?? "", timeZone);
  const listed: Record<string, number[]> = {};
  for (const day of new Set(names)) {
    const filters = readMessageFilters({ from: day, to: day }, "owner");
    const view = { workspaceId, role: "owner", mode: "live", timeZone, filters } as const;
    const { rows } = await listMessages(view, {}, { perPage: 200 });
    expect(rows.map(({ createdAt }) => localDay(createdAt, timeZone))).toEqual(rows.map(() => day));
    listed[day] = [rows.length, (await countMessages(view)).count];
  }
  const scope = { mode: "live", by: "day", days } as const;
  const { time } = (await getCostReport(workspaceId, scope, "owner")).tables;
  const spent: Record<string, number> = {};
  for (const month of new Set(names.map(monthOf))) {
    const [budget] = await onSql((sql) => listBudgets(sql, [workspaceId], endOfMonth(month, timeZone)));
    spent[month] = Number(budget?.spent);
  }
  return {
    spent,
    listed,
    usage: sumsOf(
      await listStatusCounts(workspaceId, { mode: "live", spans: days }),
      ({ bucket }) => bucket,
      ({ count }) => count,
    ),
    costs: sumsOf(
      (await listCosts(workspaceId, scope)).time,
      ({ id: day }) => day,
      ({ messages }) => messages,
    ),
    file: sumsOf(
      time.lines.filter(({ kind, messages }) => kind === "named" && messages > 0),
      ({ id: day }) => day,
      ({ messages }) => messages,
    ),
  };
};

const expectedOf = (timeZone: string, at: readonly Date[]) => {
  const sums = sumsOf(
    at,
    (one) => localDay(one, timeZone),
    () => 1,
  );
  const listed = Object.fromEntries(Object.entries(sums).map(([day, count]) => [day, [count, count]]));
  const spent = sumsOf(
    at,
    (one) => monthOf(localDay(one, timeZone)),
    () => 1,
  );
  return { spent, listed, usage: sums, costs: sums, file: sums };
};

describe("each message is in the one day that its time is printed with, of list, usage, costs and file, and in the one month of its budget", () => {
  // Beside each zone another that the workspace moves to: before it is counted again, and after.
  test.each([
    [
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
      ["2026-04-04T15:00Z", "2026-10-03T15:30Z", "2026-10-02T13:30Z", "2026-10-31T13:00Z"],
    ],
    [
      "America/Vancouver",
      "America/Edmonton",
      ["2026-11-01T09:00Z", "2026-11-27T07:00Z", "2026-11-27T08:00Z", "2026-11-01T07:00Z"],
    ],
    ["Africa/Casablanca", "UTC", ["2026-09-20T01:00Z", "2026-11-26T23:00Z", "2026-11-27T00:00Z", "2026-10-31T23:00Z"]],
    ["America/Santiago", "Antarctica/Troll", ["2026-09-06T04:00Z", "2026-03-29T01:00Z", "2026-10-25T01:00Z"]],
    ["America/Havana", "Pacific/Chatham", ["2026-11-01T05:00Z", "2026-11-01T04:00Z", "2026-09-26T14:00Z"]],
    ["America/St_Johns", "Asia/Beirut", ["2026-11-01T04:30Z", "2026-03-28T22:00Z", "2026-10-24T21:00Z"]],
  ])("in %s, and after a move to %s", async (zone, other, around) => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    const at = moments(...around);
    await sql`update workspaces set time_zone = ${zone} where id = ${workspaceId}`;
    await fill(workspace, at);
    await price(workspace);
    await sql`delete from messages_by_quarter where workspace_id = ${workspaceId}`;
    await sweep();
    expect(await readDays(workspace, zone, at)).toEqual(expectedOf(zone, at));
    await sql`update workspaces set time_zone = ${other} where id = ${workspaceId}`;
    expect(await readDays(workspace, other, at)).toEqual(expectedOf(other, at));
    await sweep();
    expect(await readDays(workspace, other, at)).toEqual(expectedOf(other, at));
  });
});
