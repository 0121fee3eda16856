import { beforeEach, describe, expect } from "vitest";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../../support/limits";
import { sql } from "../../support/rows";
import { expectError } from "../../support/sends";
import { failedSignInsFrom, SESSION_COOKIE, submitSignIn } from "../../support/session";
import { slowDownPassword } from "../../support/slow-password";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, type Sign } from "../../support/workspace";

const PER_ACCOUNT = 10;
const PER_ADDRESS = 30;
const WINDOW_SECONDS = 900;

beforeEach(awayFromWindowEdge);

const wrong = (email: string, address = freshAddress()) =>
  submitSignIn({ email, password: "not the password" }, { address });

const repeat = async (count: number, attempt: (i: number) => Promise<Answer>): Promise<number[]> => {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await attempt(i)).status);
  return seen;
};

const expectBlocked = (answer: Answer) => {
  const seconds = Number(answer.headers.get("retry-after"));
  expectError(answer, {
    status: 429,
    error: "RATE_LIMIT_EXCEEDED",
    message: expect.stringMatching(/^Too many attempts to sign in\. Try again in \d+ min/),
    details: { scope: "signIn", retryable: true, retryAfterSeconds: seconds },
  });
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(WINDOW_SECONDS);
  expect(answer.headers.getSetCookie().join()).not.toContain(SESSION_COOKIE);
};

const unknownEmail = () => `nobody-${crypto.randomUUID()}@example.test`;

describe("429", () => {
  test("after 10 failures an account is closed to the right password, too, wherever it comes from", async () => {
    const { owner } = await provisionWorkspace();
    expect(await repeat(PER_ACCOUNT, () => wrong(owner.email))).toEqual(Array(PER_ACCOUNT).fill(401));
    expectBlocked(await submitSignIn(owner));
    expectBlocked(await wrong(owner.email));
  });

  test("an account that does not exist is closed alike, in every word", async ({ workspace: { owner } }) => {
    const words = async (email: string) => {
      const answers = [];
      for (let i = 0; i <= PER_ACCOUNT; i++) answers.push(await wrong(email));
      return answers.map(({ status, body, headers }) => [
        status,
        body.message.replace(/\d+ min/, "N min"),
        [...headers.keys()],
      ]);
    };
    expect(await words(unknownEmail())).toEqual(await words(owner.email));
  });

  test("however an address is written, it is one account", async ({ workspace: { owner } }) => {
    const spellings = [owner.email, owner.email.toUpperCase(), ` ${owner.email}`, `${owner.email} `];
    await repeat(PER_ACCOUNT, (i) => wrong(spellings[i % spellings.length] ?? ""));
    expectBlocked(await submitSignIn(owner));
  });

  test("of 40 wrong passwords at once ten are checked", async ({ workspace: { owner } }) => {
    const answers = await callInParallel(40, () => wrong(owner.email));
    expect(statuses(answers)).toEqual({ 401: PER_ACCOUNT, 429: 40 - PER_ACCOUNT });
  });

  test("after 30 failures from one address it is closed to every account, and uses up none of them", async () => {
    const { owner } = await provisionWorkspace();
    const address = freshAddress();
    const attempts = await repeat(PER_ADDRESS, () => wrong(unknownEmail(), address));
    expect(attempts).toEqual(Array(PER_ADDRESS).fill(401));
    for (let i = 0; i <= PER_ACCOUNT; i++) expectBlocked(await submitSignIn(owner, { address }));
    expect((await submitSignIn(owner)).status).toBe(200);
  });

  test("an address that the client makes up is not its address", async () => {
    const address = freshAddress();
    await failedSignInsFrom(address, PER_ADDRESS);
    expectBlocked(await wrong(unknownEmail(), `${freshAddress()}, ${address}`));
  });
});

describe("200", () => {
  test("a success begins the account's count again, and costs its address nothing", async () => {
    const { owner } = await provisionWorkspace();
    const address = freshAddress();
    for (let round = 0; round < 2; round++) {
      await repeat(PER_ACCOUNT - 1, () => wrong(owner.email, address));
      expect((await submitSignIn(owner, { address })).status, `round ${round}`).toBe(200);
    }
    expect(await repeat(5, () => wrong(unknownEmail(), address))).toEqual(Array(5).fill(401));
  });

  test("a success that is proven in the next window gives nothing back there", async ({ workspace: { owner } }) => {
    const address = freshAddress();
    const id = `sign-in:ip:${address}`;
    await slowDownPassword(owner);
    const signingIn = submitSignIn(owner, { address });
    const moved = () => sql`update rate_windows set bucket = bucket - 1 where id = ${id} returning id`;
    await expect.poll(moved, { timeout: 10_000 }).toHaveLength(1);
    expect((await signingIn).status).toBe(200);
    expect(await sql`select used from rate_windows where id = ${id}`).toEqual([{ used: 0 }]);
  });

  test("people of one address sign in one after the other, more than may fail there", async () => {
    const { owner, admin, member } = await provisionWorkspace();
    const address = freshAddress();
    const people = [owner, admin, member];
    await failedSignInsFrom(address, PER_ADDRESS - 2);
    expect(await repeat(6, (i) => submitSignIn(people[i % 3] ?? owner, { address }))).toEqual(Array(6).fill(200));
  });
});

const BROWSER_COOKIE = "next-auth.known-browser";

/** What a browser keeps that has signed in with this account before. */
const knownBrowserOf = async (sign: Sign): Promise<string> => {
  const answer = await submitSignIn(sign);
  const set = answer.headers.getSetCookie().find((one) => one.startsWith(BROWSER_COOKIE)) ?? "";
  expect(set).toMatch(
    /^[\w.-]+=[\w-]{22}\.[\w-]{43}; Path=\/api\/auth\/callback; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  return set.split(";", 1)[0] ?? "";
};

const signInFrom = (browser: string, sign: Sign, address = freshAddress()): Promise<Answer> =>
  submitSignIn(sign, { cookie: browser, address });

const WRONG = "not the password";

describe("a browser that was in the account before", () => {
  test("signs in while strangers keep the account closed, from an address that is closed, too", async () => {
    const { owner } = await provisionWorkspace();
    const browser = await knownBrowserOf(owner);
    const address = freshAddress();
    await failedSignInsFrom(address, PER_ADDRESS);
    await repeat(PER_ACCOUNT, () => wrong(owner.email));
    expectBlocked(await submitSignIn(owner));
    expect((await signInFrom(browser, owner, address)).status).toBe(200);
    // Which gives the strangers no further attempt.
    expectBlocked(await submitSignIn(owner));
  });

  test("has ten failures of its own, and uses up none of the account's", async ({ workspace: { owner } }) => {
    const browser = await knownBrowserOf(owner);
    const guess = () => signInFrom(browser, { ...owner, password: WRONG });
    expect(await repeat(PER_ACCOUNT, guess)).toEqual(Array(PER_ACCOUNT).fill(401));
    expectBlocked(await signInFrom(browser, owner));
    expect((await submitSignIn(owner)).status).toBe(200);
  });

  test("stays the same one when it signs in again, and begins its count again", async ({ workspace: { owner } }) => {
    const browser = await knownBrowserOf(owner);
    await repeat(PER_ACCOUNT - 1, () => signInFrom(browser, { ...owner, password: WRONG }));
    const answer = await signInFrom(browser, owner);
    expect(answer.headers.getSetCookie().join()).toContain(browser);
    expect((await signInFrom(browser, { ...owner, password: WRONG })).status).toBe(401);
    expect((await signInFrom(browser, owner)).status).toBe(200);
  });

  test("is no one special to another account, nor when its mark is made up", async () => {
    const { owner, admin } = await provisionWorkspace();
    const browser = await knownBrowserOf(admin);
    await repeat(PER_ACCOUNT, () => wrong(owner.email));
    const [id] = browser.split(".").slice(-2);
    const forged = [`${BROWSER_COOKIE}=`, `${BROWSER_COOKIE}=.`, `${BROWSER_COOKIE}=a.b`, `${BROWSER_COOKIE}=${id}`];
    for (const cookie of [browser, ...forged]) expectBlocked(await signInFrom(cookie, owner));
  });

  test("is not made known by a failure", async ({ workspace: { owner } }) => {
    expect((await wrong(owner.email)).headers.getSetCookie().join()).not.toContain(BROWSER_COOKIE);
  });
});
