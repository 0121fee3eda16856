import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { freePort } from "../../scripts/ports.mjs";
import { createDatabase, type TestDatabase } from "../support/databases";
import { testServers } from "../support/environment";
import { type Environment, type Program, serverEnvironment, startProgram } from "../support/programs";
import { addEndpoint, startReceiver } from "../support/receiver";
import { expectSent, PHONE } from "../support/sends";
import { postWebhook, provisionWorkspace, request, statusWebhook } from "../support/workspace";

// Next as a host such as Vercel runs it: it may not exit, and no work outlives a response unless it is registered.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const running: Program[] = [];
const stopAll = async () => {
  for (const program of running.splice(0)) {
    program.signal("SIGKILL");
    await program.exited;
  }
};

const startGuest = async (changes: Environment) => {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const next = [
    "--require",
    "./tests/support/request-context.cjs",
    "node_modules/next/dist/bin/next",
    "start",
    "-p",
    `${port}`,
  ];
  const program = startProgram(next, serverEnvironment({ APP_URL: baseUrl, VERCEL: "1", ...changes }));
  running.push(program);
  await program.says("Ready in");
  return { baseUrl, said: program.said, get: (path: string) => request("GET", `${baseUrl}${path}`) };
};

describe("a start that is not whole answers 503 and serves the rest", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase({ isMigrated: false });
  });
  afterEach(stopAll);
  afterAll(() => database.drop());

  test("with a schema that was not migrated, until it is", async () => {
    const guest = await startGuest({ DATABASE_URL: database.url });
    expect((await guest.get("/docs")).status).toBe(200);
    for (const path of ["/dashboard", "/sign-in", "/set-up"]) {
      const page = await guest.get(path);
      expect([path, page.status, page.headers.get("retry-after")]).toEqual([path, 503, "2"]);
      expect(page.text).toContain("Back in a moment");
    }
    const call = await guest.get("/api/v1/public/templates");
    expect([call.status, call.body.error]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    const ready = await guest.get("/api/health/ready");
    expect([ready.status, ready.body.details.schema]).toEqual([503, "old"]);
    expect((await guest.get("/api/health")).status).toBe(200);
    expect(guest.said.stdout).toContain("npm run db:migrate");
    await migrateDatabase(database.url);
    await expect.poll(() => guest.get("/set-up").then(({ status }) => status), { timeout: 20_000 }).toBe(200);
    expect((await guest.get("/api/health/ready")).status).toBe(200);
    expect((await guest.get("/api/v1/public/templates")).status).toBe(401);
  });

  test("with a variable that is missing, which only the log names", async () => {
    const guest = await startGuest({ WHATSAPP_VERIFY_TOKEN: undefined });
    for (const path of ["/api/v1/public/templates", "/api/health", "/api/nothing"]) {
      const call = await guest.get(path);
      expect([path, call.status, call.body.error]).toEqual([path, 503, "SERVICE_UNAVAILABLE"]);
      expect(call.text).not.toContain("WHATSAPP");
    }
    const page = await guest.get("/docs");
    expect([page.status, page.text.includes("WHATSAPP")]).toEqual([503, false]);
    expect(guest.said.stderr + guest.said.stdout).toContain("WHATSAPP_VERIFY_TOKEN is required");
  });
});

test("without a cron job, events leave and webhooks are counted with the request that caused them", async () => {
  const database = await createDatabase({ isMigrated: true });
  const servers = testServers();
  const receiver = await startReceiver();
  try {
    const overrides = { DATABASE_URL: database.url, WEBHOOK_ALLOW: `127.0.0.1:${receiver.port}` };
    const guest = await startGuest(overrides);
    process.env.TEST_SERVERS = JSON.stringify({
      ...servers,
      baseUrl: guest.baseUrl,
      environment: { ...servers.environment, ...overrides },
    });
    const workspace = await provisionWorkspace();
    await addEndpoint(workspace, { url: receiver.url, mode: "live" });
    const sent = await workspace.send({ type: "text", phone: PHONE, content: "Hello" });
    expectSent(sent);
    const { id, chatMessageId } = sent.body.data;
    expect((await postWebhook(statusWebhook(workspace, [{ id: chatMessageId ?? "", status: "read" }]))).status).toBe(
      200,
    );
    await expect.poll(() => receiver.eventsOf(id).at(-1)?.data.status, { timeout: 15_000 }).toBe("READ");
    const counted = () =>
      database.sql`select sum(count)::int as count from webhook_hours where workspace_id = ${workspace.workspaceId}`;
    await expect.poll(async () => (await counted())[0]?.count, { timeout: 15_000 }).toBe(1);
  } finally {
    process.env.TEST_SERVERS = JSON.stringify(servers);
    await stopAll();
    await receiver.stop();
    await database.drop();
  }
});
