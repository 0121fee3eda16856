import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnDatabase } from "../support/own-database";
import { signIn } from "../support/session";
import { provisionWorkspace, request } from "../support/workspace";

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase();
});
afterAll(() => own.stop());

test("the docs are there for an owner while the database is unavailable, without the id of their key", async () => {
  const { owner, apiKey } = await provisionWorkspace({ mode: "test" });
  const cookie = await signIn(owner);
  const read = async () => {
    const { status, text } = await request("GET", `${own.baseUrl}/docs/quickstart`, { headers: { cookie } });
    return [status, text.includes(apiKey), text.includes("$CHAT_API_KEY")];
  };
  expect(await read()).toEqual([200, true, false]);
  await own.stopDatabase();
  expect(await read()).toEqual([200, false, true]);
  await own.startDatabase();
  await expect.poll(read, { timeout: 10_000 }).toEqual([200, true, false]);
});
