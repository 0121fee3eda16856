import { describe, expect, test } from "vitest";
import { hashSecret, newKeyPair } from "@/lib/api-keys/key-pair";
import { encrypt } from "@/lib/core/crypto";
import { startInstance, testServers } from "../../support/environment";
import { noteSecrets } from "../../support/run-logs";
import { migrateTo, schemaOf } from "../../support/schema-states";
import { dropUpgraded, EARLIER, expectUpgradeKeepsRows, newDatabase, upgrade } from "../../support/upgrades";
import { request } from "../../support/workspace";

dropUpgraded();

// From every other release: tests/long/upgrade.test.ts.
test.each([EARLIER[0] ?? "", ...EARLIER.slice(-3)])(
  "a database of an earlier release becomes today's and keeps its rows: from %s",
  async (tag) => expectUpgradeKeepsRows(tag, await schemaOf((await newDatabase(true)).sql)),
);

test("a migration gives way to a statement that takes its tables in another order: neither is ended as a deadlock", async () => {
  const database = await newDatabase(false);
  const { sql } = database;
  // 0030 changes api_keys, then messages.
  await migrateTo(database.url, "0029_message_days");
  const waiting = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_locks where relation = 'messages'::regclass and not granted`;
    return row?.count;
  };
  let upgraded: Promise<void> | undefined;
  await sql.begin(async (tx) => {
    await tx`select from messages limit 1`;
    upgraded = upgrade(database);
    await expect.poll(waiting, { interval: 20 }).toBe(1);
    await tx`select from api_keys limit 1`;
  });
  await upgraded;
});

test("a stop of 0.6.2 counts in both modes, as does one that a server of it stores or merges beside today's", async () => {
  const database = await newDatabase(false);
  const { sql } = database;
  await migrateTo(database.url, "0038_counted_time_zone");
  await sql`insert into workspaces (id, name, plan) values ('ws_1', 'Earlier', 'free')`;
  const stop = {
    marketing_opted_out_at: "2026-11-20",
    marketing_opt_out_source: "word",
    marketing_preference_at: "2026-11-20",
  };
  const people = ["before", "beside", "stays", "goes", "allows"].map((id) => ({ workspace_id: "ws_1", id, phone: id }));
  await sql`insert into contacts ${sql(people)}`;
  await sql`update contacts set ${sql(stop)} where id = 'before'`;
  await upgrade(database);
  const inBoth = { ...stop, test_marketing_opted_out_at: "2026-11-20", test_marketing_preference_at: "2026-11-20" };
  await sql`update contacts set ${sql(inBoth)}, recent_events = '["a"]' where id = 'goes'`;
  // Of a test line, stored by today's server; and a start of the other mode.
  await sql`update contacts set ${sql(inBoth)}, recent_events = '["b"]' where id = 'allows'`;
  const start = { marketing_opted_out_at: null, marketing_opt_out_source: null, marketing_preference_at: "2026-11-21" };
  await sql`update contacts set ${sql(start)} where id = 'allows'`;
  // As 0.6.2 does.
  await sql`update contacts set ${sql(stop)} where id = 'beside'`;
  await sql`update contacts set merged_into = 'stays', phone = null, marketing_opted_out_at = null,
    marketing_opt_out_source = null, marketing_preference_at = null where id = 'goes'`;
  const stops = await sql`
    select id, marketing_opted_out_at is not null as live, test_marketing_opted_out_at is not null as test
    from contacts where merged_into is null order by id`;
  expect(stops).toEqual([
    { id: "allows", live: false, test: true },
    { id: "before", live: true, test: true },
    { id: "beside", live: true, test: true },
    { id: "stays", live: false, test: true },
  ]);
});

describe("the key and line of an earlier release send after the upgrade", () => {
  test.each([EARLIER[0] ?? "", "0013_upload_file_names"])("from %s", async (tag) => {
    const database = await newDatabase(false);
    const { sql } = database;
    await migrateTo(database.url, tag);
    const { KEY_PEPPER = "", ENCRYPTION_KEY = "" } = testServers().environment;
    const { apiKey, apiSecret } = newKeyPair("live");
    noteSecrets("a key of an earlier release", [apiSecret]);
    const token = encrypt("EAAearlier", "ws_1/phn_1", [ENCRYPTION_KEY]);
    await sql`insert into workspaces (id, name, plan) values ('ws_1', 'Earlier', 'free')`;
    await sql`insert into api_keys (workspace_id, id, label, mode, api_key, secret_hash)
      values ('ws_1', 'key_1', 'Earlier', 'live', ${apiKey}, ${Buffer.from(hashSecret(apiSecret, KEY_PEPPER))})`;
    await sql`insert into phone_numbers (workspace_id, id, label, mode, display_phone_number, whatsapp_phone_number_id,
        whatsapp_business_account_id, access_token, is_default)
      values ('ws_1', 'phn_1', 'Earlier', 'live', '+44 20 7946 0123', '1060', '1061', ${token}, true)`;

    await upgrade(database);

    const server = await startInstance({ DATABASE_URL: database.url }, "API");
    const body = JSON.stringify({ type: "text", phone: "447700900123", content: "Hello" });
    const headers = { apiKey, apiSecret, "content-type": "application/json", "idempotency-key": tag };
    const url = `${server.baseUrl}/api/v1/public/messages/send`;
    const sent = await request("POST", url, { body, headers }).finally(server.stop);
    expect(sent).toMatchObject({ status: 201, body: { data: { status: "SENT" } } });
  });
});
