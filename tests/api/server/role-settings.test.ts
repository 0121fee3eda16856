import { expect, test } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { createDatabase } from "../../support/databases";
import { startInstance, testServers } from "../../support/environment";
import { createHostileRole } from "../../support/route";
import { expectSent, TEXT } from "../../support/sends";
import { provisionWorkspace } from "../../support/workspace";

test("every call is answered, and a migration runs, as a user of the database whose own settings are like no one else's", async () => {
  const workspace = await provisionWorkspace();
  const { url } = await createHostileRole(testServers().environment.DATABASE_URL ?? "");
  const instance = await startInstance({ DATABASE_URL: url }, "API");
  const { send, status } = workspace.at(instance.baseUrl);
  const sent = await send(TEXT);
  expectSent(sent);
  expect((await status(sent.body.data.id)).body).toEqual(sent.body);
  await instance.stop();

  const empty = await createDatabase({ isMigrated: false });
  await migrateDatabase(Object.assign(new URL(url), { pathname: new URL(empty.url).pathname }).href);
  expect(await empty.sql`select from pg_tables where schemaname = 'public' and tablename = 'messages'`).toHaveLength(1);
  await empty.drop();
});
