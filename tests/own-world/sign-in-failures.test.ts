import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testServers } from "../support/environment";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../support/limits";
import { startOwnDatabase } from "../support/own-database";
import { act } from "../support/people";
import { onRows } from "../support/rows";
import { cookiesOf, signIn, submitSignIn } from "../support/session";
import { slowDownPassword } from "../support/slow-password";
import { provisionWorkspace, request, type Sign } from "../support/workspace";

const PER_ACCOUNT = 10;

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  await awayFromWindowEdge();
  own = await startOwnDatabase({ ALLOW_SIGN_UP: "true" });
  const servers = testServers();
  const environment = { ...servers.environment, APP_URL: own.baseUrl };
  process.env.TEST_SERVERS = JSON.stringify({ ...servers, environment });
});
afterAll(() => own.stop());
beforeEach(() => onRows((sql) => sql`delete from rate_windows`));

/** Everything that is counted now, but the limits of the API. */
const counted = () =>
  onRows((sql) => sql`select id, used from rate_windows where used > 0 and id not like 'rl:%' order by id`);

/** The table of users is locked while `during` runs. */
const withUsersLocked = async <T>(during: () => Promise<T>): Promise<T> => {
  const sql = postgres(own.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return (await sql.begin(async (tx): Promise<T> => {
      await tx`lock table users in access exclusive mode`;
      return during();
    })) as T;
  } finally {
    await sql.end();
  }
};

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
  }, 60_000);

  test("of one that waits for its turn in vain", async () => {
    const slow = await Promise.all([1, 2, 3].map(() => provisionWorkspace()));
    for (const { owner } of slow) await slowDownPassword(owner);
    const form = await signInForm();
    const busy = slow.flatMap(({ owner }) => [submitSignIn(owner), submitSignIn(owner)]);
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
  }, 60_000);

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
    const ofSession = () => onRows((sql) => sql`select used from rate_windows where id like 'sign-in:browser:ses_%'`);
    await expect.poll(ofSession, { timeout: 10_000 }).toEqual([{ used: 1 }]);
    expect((await changing).said?.ok).toBe(true);
    expect(await ofSession()).toEqual([{ used: 0 }]);
  }, 60_000);
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
