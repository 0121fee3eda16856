import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callAction } from "../support/actions";
import { createDatabase, type TestDatabase } from "../support/databases";
import { startInstance, testServers } from "../support/environment";
import { awayFromWindowEdge } from "../support/limits";
import { act } from "../support/people";
import { PROVISION, runProgram, serverEnvironment } from "../support/programs";
import { signInByForm } from "../support/session";
import { request } from "../support/workspace";

const SET_UP = "app/set-up/actions.ts#setUp";
const SIGN_UP = "app/sign-up/actions.ts#signUp";
const FIRST = {
  name: "Fay First",
  email: "Fay@Example.test",
  password: "the first long sentence",
  workspaceName: "First shop",
};

let database: TestDatabase;
let stop: () => Promise<void>;
/** As its operator reads it in the log of a server. */
let token: string;

const tokenIn = (logFile: string): string => {
  const line = readFileSync(logFile, "utf8")
    .split("\n")
    .find((one) => one.includes('"setUp.token"'));
  return z.object({ token: z.string().min(20) }).parse(JSON.parse(line ?? "{}")).token;
};

/** A fresh deployment, to which everything in this file goes; strangers may sign up. */
beforeAll(async () => {
  database = await createDatabase({ isMigrated: true });
  const settings = { DATABASE_URL: database.url, ALLOW_SIGN_UP: "true", DEFAULT_PLAN: "free" };
  const instance = await startInstance(settings);
  token = tokenIn(instance.logFile);
  // A second one, which logs nothing below errors.
  const second = await startInstance({ ...settings, APP_URL: instance.baseUrl, LOG_LEVEL: "silent" });
  expect(tokenIn(second.logFile)).toBe(token);
  stop = async () => {
    await Promise.all([instance.stop(), second.stop()]);
  };
  const servers = testServers();
  const environment = { ...servers.environment, ...settings, APP_URL: instance.baseUrl };
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, baseUrl: instance.baseUrl, environment });
});

afterAll(async () => {
  await stop();
  await database.drop();
});

const get = (path: string, cookie = "") => request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie } });
const pathOf = (location: string | null) => new URL(location ?? "", testServers().baseUrl).pathname;

describe("a fresh deployment", () => {
  test("leads from the sign-in to its set-up", async () => {
    const signInPage = await get("/sign-in");
    expect([signInPage.status, pathOf(signInPage.headers.get("location"))]).toEqual([307, "/set-up"]);
    expect((await get("/set-up")).text).toContain("There is no account here yet");
  });

  test("is set up from a page of its own only, with fields that are right", async () => {
    const foreign = await callAction(SET_UP, {
      fields: { ...FIRST, token },
      path: "/set-up",
      headers: { Origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
    const fields = { ...FIRST, token, email: "fay", password: "short" };
    const { said } = await act(SET_UP, { fields, path: "/set-up" });
    expect(said).toMatchObject({ ok: false, issues: { email: expect.any(String), password: expect.any(String) } });
    expect(await database.sql`select 1 from users`).toHaveLength(0);
  });

  test("asks for the token of the server's log: without it, or with another, no one becomes its owner", async () => {
    await awayFromWindowEdge();
    const address = "198.51.100.78";
    const attempt = (given: Record<string, string>) =>
      act(SET_UP, { fields: { ...FIRST, ...given }, path: "/set-up", address });
    const issues = { token: expect.any(String) };
    expect((await attempt({})).status).toBe(200);
    const wrong: Record<string, string>[] = [
      {},
      { token: "" },
      { token: "x" },
      { token: token.slice(0, -1) },
      { token: token.toLowerCase() },
    ];
    for (const given of wrong) expect((await attempt(given)).said).toMatchObject({ ok: false, issues });
    for (let i = 0; i < 30; i++) await attempt({ token: `${token}${i}` });
    // Also with the right one, once an address has guessed too often.
    const blocked = { ok: false, message: expect.stringMatching(/^Too many attempts/) };
    expect((await attempt({ token })).said).toMatchObject(blocked);
    expect(await database.sql`select 1 from users`).toHaveLength(0);
    const page = await get("/set-up");
    expect(page.text).toContain("Set-up token");
    expect(page.text).not.toContain(token);
  }, 60_000);

  test("has one first account, of eight that are asked for at once, which owns a workspace and is signed in", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        act(SET_UP, { fields: { ...FIRST, token, email: `${i}-${FIRST.email}` }, path: "/set-up" }),
      ),
    );
    const won = outcomes.filter(({ goesTo }) => goesTo === "/dashboard/get-started");
    expect([won.length, outcomes.filter(({ status }) => status === 404).length]).toEqual([1, 7]);
    const rows = await database.sql`
      select u.name, m.role::text, w.name as workspace, w.plan, w.ref from users u
      join members m on m.user_id = u.id join workspaces w on w.id = m.workspace_id`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { name: "Fay First", role: "owner", workspace: "First shop", plan: "free", ref: null },
    ]);
    expect((await get("/dashboard", won[0]?.cookie)).status).toBe(200);
    const log = await database.sql`select action, actor_kind from audit_log`;
    expect(log.map((row) => ({ ...row }))).toEqual([{ action: "workspace.created", actor_kind: "user" }]);
  });

  test("has no set-up ever after", async () => {
    expect((await get("/set-up")).status).toBe(404);
    const late = { fields: { ...FIRST, token, email: "late@example.test" }, path: "/set-up" };
    expect((await act(SET_UP, late)).status).toBe(404);
    expect((await get("/sign-in")).status).toBe(200);
  });

  test("has a first account that its operator's file may name without a password", async () => {
    const [first] = await database.sql<{ email: string }[]>`select email from users order by created_at limit 1`;
    expect((await provision({ email: first?.email, role: "owner" })).stderr).toBe("");
  });
});

/** The operator's command, with a workspace of one member. */
const provision = (member: object) => {
  const document = { workspaces: [{ ref: "acme", name: "Acme Ltd", members: [member] }] };
  return runProgram([...PROVISION, "-"], serverEnvironment(), { input: [JSON.stringify(document)] });
};

describe("where strangers may sign up", () => {
  const stranger = () => ({ ...FIRST, email: `${crypto.randomUUID()}@example.test`, workspaceName: "Own shop" });

  test("each gets a workspace of their own, and may make more", async () => {
    const person = stranger();
    const { goesTo, cookie } = await act(SIGN_UP, { fields: person, path: "/sign-up" });
    expect(goesTo).toBe("/dashboard/get-started");
    expect((await get("/dashboard", cookie)).text).toContain("Own shop");
    expect((await get("/dashboard", cookie)).text).not.toContain("First shop");
    expect(await signInByForm(person)).toContain("session-token");
    expect((await get("/workspaces/new", cookie)).text).toContain("Create workspace");
  });

  test("an owner does not lift the limit of the plan, unless the operator allows it", async () => {
    const { cookie = "" } = await act(SIGN_UP, { fields: stranger(), path: "/sign-up" });
    const [workspace] = await database.sql<{ id: string }[]>`
      select id from workspaces where name = 'Own shop' order by created_at desc limit 1`;
    const path = "/dashboard/settings/plan";
    const message = "Only the operator of this deployment can change the monthly limit.";
    for (const messageLimit of ["5", "1000000", ""]) {
      const fields = { workspaceId: workspace?.id ?? "", messageLimit };
      const { said } = await act(`app${path}/actions.ts#changeMonthlyLimit`, { fields, cookie, path });
      expect(said).toMatchObject({ ok: false, message });
    }
    const page = (await get(path, cookie)).text;
    expect([page.includes(message), page.includes("Save limit")]).toEqual([true, false]);
    const limits =
      await database.sql`select distinct plan, message_limit as limit from workspaces where name = 'Own shop'`;
    expect(limits.map((row) => ({ ...row }))).toEqual([{ plan: "free", limit: null }]);
  });

  test("an address has one account, of three that are asked for at once", async () => {
    const person = stranger();
    const outcomes = await Promise.all([1, 2, 3].map(() => act(SIGN_UP, { fields: person, path: "/sign-up" })));
    expect(outcomes.filter(({ goesTo }) => goesTo)).toHaveLength(1);
    expect(outcomes.filter(({ said }) => said?.ok === false && said.issues.email)).toHaveLength(2);
  });

  test("an account that exists under an address gets no workspace that is provisioned for it", async () => {
    const person = stranger();
    const { cookie } = await act(SIGN_UP, { fields: person, path: "/sign-up" });
    const email = person.email.toLowerCase();
    const refused = await provision({ email, role: "owner" });
    expect([refused.exitCode, refused.stderr.split("\n")[1]]).toEqual([
      1,
      `  workspaces[0].members[0] has the address ${email}, which signed up without an invitation: give a password, which replaces theirs and ends their sessions.`,
    ]);
    // Even one that the stranger guessed: the sessions from before end, once.
    const given = { email, role: "owner", password: person.password };
    expect((await provision(given)).stderr).toBe("");
    expect((await get("/dashboard", cookie)).status).toBe(307);
    const session = await signInByForm(person);
    for (const again of [given, { email, role: "owner" }]) expect((await provision(again)).stderr).toBe("");
    expect((await get("/dashboard", session)).text).toContain("Acme Ltd");
  });

  test("one address of the network makes ten of them in 15 minutes", { timeout: 60_000 }, async () => {
    await awayFromWindowEdge();
    const address = "198.51.100.77";
    const outcomes = [];
    for (let i = 0; i < 11; i++) outcomes.push(await act(SIGN_UP, { fields: stranger(), path: "/sign-up", address }));
    expect(outcomes.filter(({ goesTo }) => goesTo)).toHaveLength(10);
    expect(outcomes.at(-1)?.said).toMatchObject({ ok: false, message: expect.stringMatching(/^Too many attempts/) });
  });
});
