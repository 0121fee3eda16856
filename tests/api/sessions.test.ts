import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { testServers } from "../support/environment";
import { freshAddress } from "../support/limits";
import { onRows } from "../support/rows";
import { expectError } from "../support/sends";
import { SESSION_COOKIE, sessionFrom, signIn, submitSignIn } from "../support/session";
import { slowDownPassword } from "../support/slow-password";
import { type Answer, provisionWorkspace, request } from "../support/workspace";

const get = (path: string, cookie: string): Promise<Answer> =>
  request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie } });
const dashboardStatus = async (cookie: string) => (await get("/dashboard", cookie)).status;

const sessionOf = ({ headers }: Answer): string => {
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${SESSION_COOKIE}=`));
  if (!cookie) throw new Error("no session was given");
  return cookie.split(";", 1)[0] ?? "";
};

describe("a session", () => {
  test("ends 8 hours after its sign-in, however often its cookie was renewed", async () => {
    const { owner } = await provisionWorkspace();
    const young = sessionOf(await get("/api/auth/session", await sessionFrom(owner, 7 * 60)));
    expect(await dashboardStatus(young)).toBe(200);
    const old = sessionOf(await get("/api/auth/session", await sessionFrom(owner, 8 * 60)));
    expect(await dashboardStatus(old)).toBe(307);
  });

  test("renewing it brings no ended one back", async () => {
    const { owner } = await provisionWorkspace();
    const cookie = await signIn(owner);
    await onRows((sql) => sql`update users set session_version = session_version + 1 where email = ${owner.email}`);
    expect(await dashboardStatus(sessionOf(await get("/api/auth/session", cookie)))).toBe(307);
  });

  test("is not opened by a password that is changed while it is checked", async () => {
    const { owner } = await provisionWorkspace();
    const address = freshAddress();
    await slowDownPassword(owner);
    const startedAtMs = performance.now();
    const signingIn = submitSignIn(owner, { address }).then((answer) => ({
      answer,
      ms: performance.now() - startedAtMs,
    }));
    // The attempt is counted, then its account is read, and then the password takes its time.
    await expect
      .poll(() => onRows((sql) => sql`select used from rate_windows where id = ${`sign-in:ip:${address}`}`), {
        timeout: 10_000,
      })
      .toHaveLength(1);
    await sleep(300);
    await onRows(
      (sql) => sql`
        update users set session_version = session_version + 1, password_hash = null where email = ${owner.email}`,
    );
    const changedAfterMs = performance.now() - startedAtMs;
    const { answer, ms } = await signingIn;
    expect(ms, "the change came too late to try anything").toBeGreaterThan(changedAfterMs);
    // It matched when it was read; what it opens has ended already.
    expect(answer.status, answer.text).toBe(200);
    expect(await dashboardStatus(sessionOf(answer))).toBe(307);
  });
});

describe("401", () => {
  test.each(["\0", "a\0@example.test", "a\n@example.test"])("%j is nobody's address", async (email) => {
    const answer = await submitSignIn({ email, password: "a long sentence" });
    expectError(answer, { status: 401, error: "UNAUTHORIZED", details: {} });
  });
});
