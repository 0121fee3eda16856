import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashSecret, newKeyPair } from "@/lib/api-keys/key-pair";
import { encrypt } from "@/lib/core/crypto";
import { createDatabase, type TestDatabase } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { runProgram } from "../../support/programs";
import { noteSecrets } from "../../support/run-logs";
import { fillTables, MIGRATIONS, migrateTo, rowsIn, schemaOf, shapeOf } from "../../support/schema-states";
import { request } from "../../support/workspace";

const databases: TestDatabase[] = [];
const newDatabase = async (isMigrated: boolean): Promise<TestDatabase> => {
  const database = await createDatabase({ isMigrated });
  databases.push(database);
  return database;
};
afterAll(() => Promise.all(databases.map((database) => database.drop())));

/** `npm run db:migrate` as the build holds it, which starts three times as fast. */
const upgrade = async ({ url }: TestDatabase): Promise<void> => {
  const { exitCode, stderr } = await runProgram(["scripts/start.mjs", "migrate"], {
    PATH: process.env.PATH,
    DATABASE_URL: url,
  });
  expect([exitCode, stderr]).toEqual([0, "The database's schema is up to date.\n"]);
};

const EARLIER = MIGRATIONS.slice(0, -1);

describe("a database of an earlier release becomes today's and keeps its rows", () => {
  let today: string[];
  beforeAll(async () => {
    today = await schemaOf((await newDatabase(true)).sql);
  });

  test.concurrent.each(EARLIER)("from %s", async (tag) => {
    const database = await newDatabase(false);
    const { sql } = database;
    await migrateTo(database.url, tag);
    await fillTables(sql);
    const shape = await shapeOf(sql);
    const before = await rowsIn(sql, shape);
    for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThanOrEqual(6);

    await upgrade(database);

    expect(await schemaOf(sql)).toEqual(today);
    const after = await rowsIn(sql, shape);
    if (before.has("usage_shares") && !after.get("usage_shares")?.length) {
      // 0025 returns what a share had left to its month: 3 shares of 1, 2 and 3 for months with 1, 2 and 3 used.
      expect(await sql`select distinct used from usage`).toEqual([{ used: 0 }]);
      for (const table of ["usage", "usage_shares"]) before.delete(table);
    }
    const lost = [...before].flatMap(([table, rows]) =>
      rows.filter((row) => !after.get(table)?.includes(row)).map((row) => `${table} ${row}`),
    );
    expect(lost).toEqual([]);
  });
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
