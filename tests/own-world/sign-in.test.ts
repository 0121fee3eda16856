import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { callAction } from "../support/actions";
import { startInstance, testServers } from "../support/environment";
import { forTest } from "../support/for-suite";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../support/limits";
import { startOwnPostgres } from "../support/own-database";
import { act } from "../support/people";
import { PROVISION, runProgram, serverEnvironment } from "../support/programs";
import { whileLocked } from "../support/row-lock";
import { sql } from "../support/rows";
import { cookiesOf, failedSignInsFrom, readAt, signIn, signInByForm, submitSignIn } from "../support/session";
import { slowDownPassword } from "../support/slow-password";
import { type Answer, provisionWorkspace, request, type Sign } from "../support/workspace";

/** A fresh deployment of two processes, to which everything in this file goes; strangers may sign up. */
let own: Awaited<ReturnType<typeof startOwnPostgres>>;
let second: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  own = await startOwnPostgres({ ALLOW_SIGN_UP: "true", DEFAULT_PLAN: "free" });
  const servers = testServers();
  const environment = { ...servers.environment, APP_URL: own.baseUrl };
  second = await startInstance({ APP_URL: own.baseUrl, LOG_LEVEL: "silent" });
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, environment });
});
afterAll(async () => {
  await second.stop();
  await own.stop();
});

// First, while no one has an account.
describe("set-up and sign-up", () => {
  const SET_UP = "app/sign-up/actions.ts#setUp";
  const SIGN_UP = "app/sign-up/actions.ts#signUp";
  const FIRST = {
    name: "Fay First",
    email: "Fay@Example.test",
    password: "the first long sentence",
    workspaceName: "First shop",
  };

  /** As its operator reads it in the log of a server. */
  let token: string;

  const tokenIn = (logFile: string): string => {
    const line = readFileSync(logFile, "utf8")
      .split("\n")
      .find((one) => one.includes('"setUp.token"'));
    return z.object({ token: z.string().min(20) }).parse(JSON.parse(line ?? "{}")).token;
  };

  beforeAll(() => {
    token = tokenIn(own.logFile);
    // The second one logs nothing below errors.
    expect(tokenIn(second.logFile)).toBe(token);
  });

  const pathOf = (location: string | null) => new URL(location ?? "", testServers().baseUrl).pathname;

  describe("a fresh deployment", () => {
    test("leads from the sign-in to its set-up", async () => {
      const signInPage = await readAt("/sign-in");
      expect([signInPage.status, pathOf(signInPage.headers.get("location"))]).toEqual([307, "/set-up"]);
      expect((await readAt("/set-up")).text).toContain("There is no account here yet");
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
      expect(await sql`select 1 from users`).toHaveLength(0);
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
      expect(await sql`select 1 from users`).toHaveLength(0);
      const page = await readAt("/set-up");
      expect(page.text).toContain("Set-up token");
      expect(page.text).not.toContain(token);
    });

    test("has one first account, of eight that are asked for at once, which owns a workspace and is signed in", async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          act(SET_UP, { fields: { ...FIRST, token, email: `${i}-${FIRST.email}` }, path: "/set-up" }),
        ),
      );
      const won = outcomes.filter(({ goesTo }) => goesTo === "/dashboard/get-started");
      expect([won.length, outcomes.filter(({ status }) => status === 404).length]).toEqual([1, 7]);
      const rows = await sql`
      select u.name, m.role::text, w.name as workspace, w.plan, w.ref from users u
      join members m on m.user_id = u.id join workspaces w on w.id = m.workspace_id`;
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { name: "Fay First", role: "owner", workspace: "First shop", plan: "free", ref: null },
      ]);
      expect((await readAt("/dashboard", won[0]?.cookie)).status).toBe(200);
      const log = await sql`select action, actor_kind from audit_log`;
      expect(log.map((row) => ({ ...row }))).toEqual([{ action: "workspace.created", actor_kind: "user" }]);
    });

    test("has no set-up ever after", async () => {
      expect((await readAt("/set-up")).status).toBe(404);
      const late = { fields: { ...FIRST, token, email: "late@example.test" }, path: "/set-up" };
      expect((await act(SET_UP, late)).status).toBe(404);
      expect((await readAt("/sign-in")).status).toBe(200);
    });

    test("has a first account that its operator's file may name without a password", async () => {
      const [first] = await sql<{ email: string }[]>`select email from users order by created_at limit 1`;
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
      expect((await readAt("/dashboard", cookie)).text).toContain("Own shop");
      expect((await readAt("/dashboard", cookie)).text).not.toContain("First shop");
      expect(await signInByForm(person)).toContain("session-token");
      expect((await readAt("/workspaces/new", cookie)).text).toContain("Create workspace");
    });

    test("an owner does not lift the limit of the plan, unless the operator allows it", async () => {
      const { cookie = "" } = await act(SIGN_UP, { fields: stranger(), path: "/sign-up" });
      const [workspace] = await sql<{ id: string }[]>`
      select id from workspaces where name = 'Own shop' order by created_at desc limit 1`;
      const path = "/dashboard/settings/plan";
      const message = "Only the operator of this deployment can change the monthly limit.";
      for (const messageLimit of ["5", "1000000", ""]) {
        const fields = { workspaceId: workspace?.id ?? "", messageLimit };
        const { said } = await act("app/dashboard/settings/actions.ts#changeMonthlyLimit", { fields, cookie, path });
        expect(said).toMatchObject({ ok: false, message });
      }
      const page = (await readAt(path, cookie)).text;
      expect([page.includes(message), page.includes("Save limit")]).toEqual([true, false]);
      const limits = await sql`select distinct plan, message_limit as limit from workspaces where name = 'Own shop'`;
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
      expect((await readAt("/dashboard", cookie)).status).toBe(307);
      const session = await signInByForm(person);
      for (const again of [given, { email, role: "owner" }]) expect((await provision(again)).stderr).toBe("");
      expect((await readAt("/dashboard", session)).text).toContain("Acme Ltd");
    });

    test("one address of the network makes ten of them in 15 minutes", async () => {
      await awayFromWindowEdge();
      const address = "198.51.100.77";
      const outcomes = [];
      for (let i = 0; i < 11; i++) outcomes.push(await act(SIGN_UP, { fields: stranger(), path: "/sign-up", address }));
      expect(outcomes.filter(({ goesTo }) => goesTo)).toHaveLength(10);
      expect(outcomes.at(-1)?.said).toMatchObject({ ok: false, message: expect.stringMatching(/^Too many attempts/) });
    });
  });
});

describe("failures of ours", () => {
  const PER_ACCOUNT = 10;

  beforeAll(awayFromWindowEdge);
  beforeEach(() => sql`delete from rate_windows`);

  /** Everything that is counted now, but the limits of the API. */
  const counted = () => sql`select id, used from rate_windows where used > 0 and id not like 'rl:%' order by id`;

  /** The table of users is locked while `during` runs. */
  const withUsersLocked = async <T>(during: () => Promise<T>): Promise<T> =>
    (await sql.begin(async (tx): Promise<T> => {
      await tx`lock table users in access exclusive mode`;
      return during();
    })) as T;

  const wrong = (owner: Sign) => submitSignIn({ ...owner, password: "not the password" });

  describe("an attempt that fails on our side is not counted", () => {
    test("ten sign-ins that end in 503 do not close the account", async () => {
      const { owner } = await provisionWorkspace();
      const address = freshAddress();
      const answers = await withUsersLocked(() => callInParallel(PER_ACCOUNT, () => submitSignIn(owner, { address })));
      expect(statuses(answers)).toEqual({ 503: PER_ACCOUNT });
      await expect.poll(counted).toEqual([]);
      expect((await wrong(owner)).status).toBe(401);
      expect((await submitSignIn(owner, { address })).status).toBe(200);
    });

    test("of a database that goes away in the middle of a check, the attempt is given back once it is there again", async () => {
      const { owner } = await provisionWorkspace();
      await slowDownPassword(owner);
      const signingIn = submitSignIn(owner);
      await expect.poll(async () => (await counted()).length, { timeout: 10_000 }).toBe(2);
      await own.stopDatabase();
      expect((await signingIn).status).toBe(503);
      expect((await submitSignIn(owner)).status).toBe(503);
      await own.startDatabase();
      await expect.poll(counted, { timeout: 15_000 }).toEqual([]);
      expect((await submitSignIn(owner)).status).toBe(200);
    });

    test("of one that waits for its turn in vain", async () => {
      const { owner } = await provisionWorkspace();
      await slowDownPassword(owner);
      const form = await signInForm();
      const busy = [1, 2, 3, 4].map(() => submitSignIn(owner));
      await expect.poll(async () => (await counted()).length, { timeout: 20_000 }).toBeGreaterThan(3);
      const answers = await callInParallel(125, (i) => form.submit(`nobody-${i}@example.test`));
      const { 401: checked = 0, 503: refused = 0 } = statuses(answers);
      expect([checked + refused, refused > 0]).toEqual([125, true]);
      await Promise.all(busy);
      // One of the address and one of the account for each that was checked.
      await expect.poll(async () => (await counted()).length, { timeout: 10_000 }).toBe(2 * checked);
    }, 120_000);

    test("of a sign-up, an invitation, a look at one, and a reset link", async () => {
      const address = freshAddress();
      const token = "A".repeat(43);
      const fields = {
        name: "Sam",
        email: `sam-${crypto.randomUUID()}@example.test`,
        password: "a long sentence",
        workspaceName: "Own shop",
        token,
      };
      const post = (action: string, path: string) => act(`app/${action}`, { fields, path, address });
      const path = `/invite/${token}`;
      const look = () => request("GET", `${own.baseUrl}${path}`, { headers: { "x-forwarded-for": address } });
      const outcomes = await withUsersLocked(() =>
        Promise.all([
          post("sign-up/actions.ts#signUp", "/sign-up"),
          post("invite/[token]/actions.ts#joinAsNewUser", path),
          post("reset-password/actions.ts#readResetLink", "/reset-password"),
          look().then(({ status }) => ({ said: status === 200 || status === 404 ? undefined : { ok: false } })),
        ]),
      );
      expect(outcomes.map(({ said }) => said?.ok)).toEqual([false, false, false, false]);
      await expect.poll(counted).toEqual([]);
      // The same, where the database answers, is counted.
      expect((await look()).status).toBe(404);
      expect(await counted()).toEqual([{ id: `invitation:ip:${address}`, used: 1 }]);
    });

    test("of a change of the password; and strangers do not keep its owner from it", async () => {
      const { owner } = await provisionWorkspace();
      const cookie = await signIn(owner);
      const path = "/dashboard/account";
      const change = (password: string) =>
        act("app/dashboard/account/actions.ts#setPassword", {
          fields: { current: owner.password, password },
          cookie,
          path,
        });
      for (let i = 0; i < PER_ACCOUNT; i++) await wrong(owner);
      expect((await submitSignIn(owner)).status).toBe(429);
      await slowDownPassword(owner);
      const changing = change("another long sentence");
      const ofSession = () => sql`select used from rate_windows where id like 'sign-in:browser:ses_%'`;
      await expect.poll(ofSession, { timeout: 10_000 }).toEqual([{ used: 1 }]);
      expect((await changing).said?.ok).toBe(true);
      expect(await ofSession()).toEqual([{ used: 0 }]);
    });
  });

  /** One form for many attempts, each from an address of its own. */
  const signInForm = async () => {
    const csrf = await fetch(`${own.baseUrl}/api/auth/csrf`);
    const { csrfToken }: { csrfToken: string } = await csrf.json();
    const cookie = cookiesOf(csrf.headers);
    return {
      submit: (email: string) =>
        request("POST", `${own.baseUrl}/api/auth/callback/credentials`, {
          headers: { cookie, "x-forwarded-for": freshAddress() },
          body: new URLSearchParams({ csrfToken, email, password: "not it", json: "true" }),
        }),
    };
  };
});

describe("floods", () => {
  const PER_ADDRESS = 30;
  const FLOOD = 110;
  /** A flood used to keep others waiting for more than 8 s. Generous, and more so where the machine is busy with others. */
  const promptMs = (quietMs: number) => 4_000 + 20 * quietMs;

  // Their first connections are made outside the flood.
  beforeAll(async () => {
    for (const { baseUrl } of [own, second]) await wrong(freshAddress(), baseUrl);
  });
  beforeEach(awayFromWindowEdge);

  const wrong = (address: string, baseUrl = testServers().baseUrl) =>
    submitSignIn({ email: `nobody-${crypto.randomUUID()}@example.test`, password: "not it" }, { address, baseUrl });

  const usedOf = async (address: string): Promise<number> => {
    const rows = await sql<{ used: number }[]>`select used from rate_windows where id = ${`sign-in:ip:${address}`}`;
    return rows[0]?.used ?? 0;
  };

  /** A busy machine turns away (503) those who waited too long behind the others: they are neither checked nor counted. */
  const expectThirtyChecked = async (address: string, answers: Answer[]) => {
    const { 401: checked = 0, 429: _, 503: turnedAway = 0, ...others } = statuses(answers);
    expect(others).toEqual({});
    expect(checked).toBeLessThanOrEqual(PER_ADDRESS);
    expect(checked + turnedAway).toBeGreaterThanOrEqual(PER_ADDRESS);
    await expect.poll(() => usedOf(address), { timeout: 10_000 }).toBe(checked);
  };

  describe("wrong sign-ins at once from one address", () => {
    test("of 110 thirty are checked and the others refused with 429, and thirty are counted", async () => {
      const address = freshAddress();
      const answers = await callInParallel(FLOOD, () => wrong(address));
      await expectThirtyChecked(address, answers);
    });

    test("beyond the limit they are refused while another holds the row of their count", async () => {
      const address = freshAddress();
      await failedSignInsFrom(address, PER_ADDRESS);
      const flood = () => callInParallel(PER_ADDRESS, () => wrong(address));
      const refused = await whileLocked(`sign-in:ip:${address}`, flood, "rate_windows");
      expect(statuses(refused)).toEqual({ 429: PER_ADDRESS });
    });

    test("two processes let thirty through together", async () => {
      const address = freshAddress();
      const answers = await callInParallel(2 * PER_ADDRESS, (i) =>
        wrong(address, i % 2 ? second.baseUrl : testServers().baseUrl),
      );
      await expectThirtyChecked(address, answers);
    });

    test("beyond the limit they are all 429, write nothing, and delay neither the owner nor a partner's read", async () => {
      const workspace = await provisionWorkspace();
      const address = freshAddress();
      await failedSignInsFrom(address, PER_ADDRESS);
      const timed = async (what: string, call: () => Promise<{ status: number }>) => {
        const startedAtMs = performance.now();
        const { status } = await call();
        return { what, status, ms: performance.now() - startedAtMs };
      };
      const askTheOthers = () =>
        Promise.all([
          timed("owner", () => submitSignIn(workspace.owner)),
          timed("read", () => workspace.call("GET", "/api/v1/public/templates")),
          timed("health", () => request("GET", `${testServers().baseUrl}/api/health/ready`)),
        ]);
      const quietMs = Math.max(...(await askTheOthers()).map(({ ms }) => ms));
      const round = async () => {
        const flood = callInParallel(FLOOD, () => wrong(address));
        await sleep(50);
        const others = await askTheOthers();
        return { refused: statuses(await flood), others };
      };
      // A machine may be so busy with other tests that a process misses the database's answer; hardly ever in four rounds.
      let seen = await round();
      for (let again = 0; again < 3 && JSON.stringify(seen).includes("503"); again++) seen = await round();
      const { refused, others } = seen;
      console.log(`flood: the slowest of the others took ${Math.max(...others.map(({ ms }) => ms)).toFixed(0)} ms`);
      expect(refused).toEqual({ 429: FLOOD });
      expect(others.filter(({ status }) => status !== 200)).toEqual([]);
      expect(others.filter(({ ms }) => ms > promptMs(quietMs))).toEqual([]);
      expect(await usedOf(address)).toBe(PER_ADDRESS);
    }, 120_000);
  });
});

test("a new NEXTAUTH_SECRET keeps sessions open while the last one is NEXTAUTH_SECRET_PREVIOUS", async () => {
  const { owner } = await provisionWorkspace();
  const cookie = await signIn(owner);
  const secrets = {
    NEXTAUTH_SECRET: `${"n".repeat(16)}0123456789abcdef`,
    NEXTAUTH_SECRET_PREVIOUS: testServers().environment.NEXTAUTH_SECRET ?? "",
  };
  const instance = await forTest(startInstance({ APP_URL: own.baseUrl, ...secrets }));
  const page = await request("GET", `${instance.baseUrl}/dashboard`, { headers: { cookie } });
  const session = await request("GET", `${instance.baseUrl}/api/auth/session`, { headers: { cookie } });
  expect([page.status, Object.keys(session.body).length > 0]).toEqual([200, true]);
}, 120_000);
