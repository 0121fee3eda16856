import { beforeEach, describe, expect, test } from "vitest";
import { awayFromWindowEdge, callInParallel, freshAddress, statuses } from "../support/limits";
import { expectError } from "../support/sends";
import { SESSION_COOKIE, submitSignIn } from "../support/session";
import { type Answer, provisionWorkspace } from "../support/workspace";

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

  test("an account that does not exist is closed alike, in every word", async () => {
    const { owner } = await provisionWorkspace();
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

  test("however an address is written, it is one account", async () => {
    const { owner } = await provisionWorkspace();
    const spellings = [owner.email, owner.email.toUpperCase(), ` ${owner.email}`, `${owner.email} `];
    await repeat(PER_ACCOUNT, (i) => wrong(spellings[i % spellings.length] ?? ""));
    expectBlocked(await submitSignIn(owner));
  });

  test("of 40 wrong passwords at once ten are checked", async () => {
    const { owner } = await provisionWorkspace();
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
    await repeat(PER_ADDRESS, () => wrong(unknownEmail(), `${freshAddress()}, ${address}`));
    expectBlocked(await wrong(unknownEmail(), `${freshAddress()}, ${address}`));
  });

  test("no password is checked meanwhile: the answer comes before the hash could", async () => {
    const { owner } = await provisionWorkspace();
    const timed = async () => {
      const startedAtMs = performance.now();
      await wrong(owner.email);
      return performance.now() - startedAtMs;
    };
    const times = { checked: [] as number[], blocked: [] as number[] };
    for (let i = 0; i < 2 * PER_ACCOUNT; i++) times[i < PER_ACCOUNT ? "checked" : "blocked"].push(await timed());
    const [checkedMs, blockedMs] = [median(times.checked), median(times.blocked)];
    console.log(`sign-in, median: checked ${checkedMs.toFixed(1)} ms, blocked ${blockedMs.toFixed(1)} ms`);
    expect(blockedMs).toBeLessThan(checkedMs);
  });
});

describe("200", () => {
  test("a success begins the account's count again, and costs its address nothing", async () => {
    const { owner } = await provisionWorkspace();
    const address = freshAddress();
    for (let round = 0; round < 3; round++) {
      await repeat(PER_ACCOUNT - 1, () => wrong(owner.email, address));
      expect((await submitSignIn(owner, { address })).status, `round ${round}`).toBe(200);
    }
    expect(await repeat(5, () => wrong(unknownEmail(), address))).toEqual([401, 401, 401, 429, 429]);
  });

  test("40 people of one address sign in one after the other", async () => {
    const { owner, admin, member } = await provisionWorkspace();
    const address = freshAddress();
    const people = [owner, admin, member];
    expect(await repeat(40, (i) => submitSignIn(people[i % 3] ?? owner, { address }))).toEqual(Array(40).fill(200));
  });
});

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
