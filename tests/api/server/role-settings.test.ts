import { expect, test } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { createDatabase } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { createHostileRole } from "../../support/route";
import { PHONE } from "../../support/sends";
import { provisionWorkspace, request } from "../../support/workspace";

test("every call is answered, and a migration runs, as a user of the database whose own settings are like no one else's", async () => {
  const { apiKey, apiSecret, clientAddress } = await provisionWorkspace();
  const { url } = await createHostileRole(testServers().environment.DATABASE_URL ?? "");
  const instance = await startInstance({ DATABASE_URL: url }, "API");
  const headers = { apiKey, apiSecret, "Content-Type": "application/json", "X-Forwarded-For": clientAddress };
  const call = (method: string, path: string, body?: string) =>
    request(method, `${instance.baseUrl}/api/v1/public${path}`, { headers, ...(body ? { body } : {}) });
  const sent = await call("POST", "/messages/send", JSON.stringify({ type: "text", phone: PHONE, content: "Hello" }));
  expect(sent.status).toBe(201);
  const found = await call("GET", `/messages/${sent.body.data?.id}`);
  expect(found.body.data).toMatchObject({ id: sent.body.data?.id, createdAt: sent.body.data?.createdAt });
  await instance.stop();

  const empty = await createDatabase({ isMigrated: false });
  await migrateDatabase(Object.assign(new URL(url), { pathname: new URL(empty.url).pathname }).href);
  expect(await empty.sql`select from pg_tables where schemaname = 'public' and tablename = 'messages'`).toHaveLength(1);
  await empty.drop();
});
