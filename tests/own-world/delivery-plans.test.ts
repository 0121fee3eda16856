import { afterEach, describe, expect, test } from "vitest";
import { POOL_NAMES, type PoolName } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { claimDeliveries } from "@/lib/outgoing/claim-deliveries";
import { renewLeases } from "@/lib/outgoing/deliver";
import { outcomeOf } from "@/lib/outgoing/outcome";
import { settleDeliveries } from "@/lib/outgoing/settle-deliveries";
import { addEndpoint } from "../support/receiver";
import { measuredPostgres } from "../support/recorded-plans";
import { sql } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";

// As on Vercel: the only one that claims here is the test.
const own = measuredPostgres({}, { VERCEL: "1" });
afterEach(() => own.filling`truncate webhook_deliveries, webhook_attempts`);

type Endpoint = { workspaceId: WorkspaceId; id: string };

const endpoint = async (): Promise<Endpoint> => {
  const workspace = await provisionWorkspace({ mode: "live" });
  const { id } = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
  return { workspaceId: provenWorkspaceId(workspace.workspaceId), id };
};

let batch = 0;
/** Events of `subjects` messages, the first of each of which is due, and the others wait. */
const fill = ({ workspaceId, id }: Endpoint, count: number, subjects = count, state = "PENDING") => own.filling`
  insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state,
    next_attempt_at, settled_at)
  select ${workspaceId}, ${`whd_${++batch}_`} || n, ${id}, 'webhook.test', ${`msg_${batch}_`} || n % ${subjects}::int, 1, '{}', now(),
    ${state}::delivery_state, case when n <= ${subjects}::int then now() else 'infinity' end,
    case when ${state} <> 'PENDING' then now() end
  from generate_series(1, ${count}::int) n`;

/** What the statistics say when the burst comes. */
const STATISTICS: Record<string, (one: Endpoint) => Promise<unknown>> = {
  "never analysed": () => own.filling`select`,
  "analysed while empty": () => own.filling`vacuum analyze webhook_deliveries`,
  "analysed while all was delivered": async (one) => {
    await fill(one, 5_000, 5_000, "DELIVERED");
    await own.filling`vacuum analyze webhook_deliveries`;
  },
  "analysed while all was pending, for one endpoint": async (one) => {
    await fill(one, 5_000);
    await own.filling`vacuum analyze webhook_deliveries`;
  },
};

const CLAIMS = 3;
/** The most rows that a statement touches for each event of a claim: the probes of a few indexes, and steps of the plan. */
const STEPS = 100;

test("no function of the database switches a method of the planner off", async () => {
  const functions = await sql<{ name: string }[]>`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and (prosrc ~ '\\menable_' or proconfig::text ~ '\\menable_')`;
  expect(functions.map(({ name }) => name)).toEqual([]);
});

test("no connection lets Postgres compile a statement, nor does one that cannot say so", async () => {
  const jitOf = (pool: PoolName) =>
    onSql((sql) => sql<{ jit: string }[]>`select current_setting('jit') as jit`, { pool });
  for (const pool of POOL_NAMES) expect([pool, (await jitOf(pool))[0]?.jit]).toEqual([pool, "off"]);
  const [row] = await own.filling<{ jit: string }[]>`select current_setting('jit') as jit`;
  expect(row?.jit).toBe("off");
});

const ANSWER = { durationMs: 5, statusCode: 200, failure: null, response: "", retryAfter: undefined };

/** Returns how many deliveries were claimed. */
const claimAndSettle = async (): Promise<number> => {
  const { claimed } = await claimDeliveries({ busy: [], withSlow: true });
  expect(claimed.length).toBeGreaterThan(0);
  await renewLeases(claimed);
  const answer = { ...ANSWER, startedAt: new Date() };
  const { locked } = await settleDeliveries(
    claimed.map((delivery) => ({ delivery, answer, outcome: outcomeOf(delivery, answer, 0.5) })),
  );
  expect(locked).toEqual([]);
  return claimed.length;
};

describe("a claim reads no more than it takes, and no statement is compiled", () => {
  test.each(Object.entries(STATISTICS))("with a table %s, and twice 20,000 events", async (_, analyse) => {
    const [one, other] = [await endpoint(), await endpoint()];
    await analyse(one);
    await fill(one, 20_000);
    await fill(one, 20_000, 50);
    await fill(other, 10);
    let taken = 0;
    const all = await own.workOf(async () => {
      for (let i = 0; i < CLAIMS; i++) taken = Math.max(taken, await claimAndSettle());
    });
    const work = all.filter(({ text }) => text.includes("webhook_deliveries"));
    expect(work.length).toBeGreaterThan(3 * CLAIMS);
    const slow = work.filter(({ touched, isCompiled }) => touched > STEPS * taken || isCompiled);
    expect(slow.map(({ touched, isCompiled, text }) => ({ touched, isCompiled, text: text.slice(0, 300) }))).toEqual(
      [],
    );
  });
});
