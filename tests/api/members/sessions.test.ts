import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { callAction } from "../../support/actions";
import { testServers } from "../../support/environment";
import { freshAddress } from "../../support/limits";
import { act, userIdOf } from "../../support/people";
import { sql } from "../../support/rows";
import { expectError } from "../../support/sends";
import {
  endSessionsOf,
  postToAuth,
  readAt,
  SESSION_COOKIE,
  sessionIdsOf,
  signIn,
  signInByForm,
  submitSignIn,
} from "../../support/session";
import { slowDownPassword } from "../../support/slow-password";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, request, type Sign } from "../../support/workspace";

const dashboardStatus = async (cookie: string) => (await readAt("/dashboard", cookie)).status;

const hoursLeft = async (sign: Sign): Promise<number> => {
  const [session] = await sql<{ hours: number }[]>`
      select extract(epoch from expires_at - now())::float / 3600 as hours from sessions where user_id = ${await userIdOf(sign)}`;
  return session?.hours ?? 0;
};

const sessionOf = ({ headers }: Answer): string => {
  const cookie = headers.getSetCookie().find((one) => one.startsWith(`${SESSION_COOKIE}=`));
  if (!cookie) throw new Error("no session was given");
  return cookie.split(";", 1)[0] ?? "";
};

describe("a session", () => {
  test.for([
    ["used after 7 hours goes on for 8 more", { minutesAgo: 7 * 60 }, 8],
    ["that ends in an hour by its 14 days does so, however often it is used", { minutesAgo: 14 * 24 * 60 - 60 }, 1],
  ] as const)("%s", async ([, begun, hours], { workspace: { owner } }) => {
    const cookie = await signIn(owner, begun);
    await sql`update sessions set expires_at = now() + interval '1 hour' where user_id = ${await userIdOf(owner)}`;
    expect(await dashboardStatus(cookie)).toBe(200);
    await expect.poll(() => hoursLeft(owner)).toBeCloseTo(hours, 1);
  });

  test("that is looked at by a page which refreshes itself is not used, nor by asking next-auth for it", async ({
    workspace: { owner },
  }) => {
    const cookie = await signIn(owner, { minutesAgo: 7 * 60 });
    expect(await dashboardStatus(`${cookie}; refresh=1`)).toBe(200);
    expect((await readAt("/api/auth/session", cookie)).body).toMatchObject({ expires: expect.any(String) });
    expect(await hoursLeft(owner)).toBeCloseTo(1, 1);
  });

  test("that was not used for 8 hours has ended, also for one who renews its cookie", async ({
    workspace: { owner },
  }) => {
    const old = await signIn(owner, { minutesAgo: 8 * 60 });
    expect((await readAt("/api/auth/session", old)).body).toEqual({});
    expect(await dashboardStatus(old)).toBe(307);
  });

  test("renewing it brings no ended one back", async ({ workspace: { owner } }) => {
    const cookie = await signIn(owner);
    await endSessionsOf(owner);
    const answer = await readAt("/api/auth/session", cookie);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(answer.headers.getSetCookie().join()).toContain(`${SESSION_COOKIE}=; `);
    expect(await dashboardStatus(cookie)).toBe(307);
  });

  test("is not opened by a password that is changed while it is checked", async ({ workspace: { owner } }) => {
    const address = freshAddress();
    await slowDownPassword(owner);
    const startedAtMs = performance.now();
    const signingIn = submitSignIn(owner, { address }).then((answer) => ({
      answer,
      ms: performance.now() - startedAtMs,
    }));
    // The attempt is counted, then its account is read, and then the password takes its time.
    const counted = () => sql`select used from rate_windows where id = ${`sign-in:ip:${address}`}`;
    await expect.poll(counted, { timeout: 10_000 }).toHaveLength(1);
    await sleep(300);
    await sql`update users set password_hash = null where email = ${owner.email}`;
    const changedAfterMs = performance.now() - startedAtMs;
    const { answer, ms } = await signingIn;
    expect(ms, "the change came too late to try anything").toBeGreaterThan(changedAfterMs);
    // It matched when it was read, and opens nothing.
    expect(answer.status, answer.text).toBe(401);
    expect(await sessionIdsOf(owner)).toEqual([]);
  });
});

describe("401", () => {
  test("what holds a control character is no one's address", async () => {
    for (const email of ["\0", "a\0@example.test", "a\n@example.test"]) {
      const answer = await submitSignIn({ email, password: "a long sentence" });
      expectError(answer, { status: 401, error: "UNAUTHORIZED", details: {} });
    }
  });
});

describe("403", () => {
  const ROUTES = ["callback/credentials", "signout", "signin/credentials"];
  const FOREIGN: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: `${testServers().environment.APP_URL}.evil.example` },
    { origin: testServers().environment.APP_URL ?? "", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  test.each(ROUTES)("a page of another site posts nothing to %s, whatever it knows", async (route) => {
    const { owner } = await provisionWorkspace();
    const cookie = await signIn(owner);
    for (const headers of FOREIGN) {
      const answer = await postToAuth(route, owner, { headers, cookie });
      expectError(answer, {
        status: 403,
        error: "FORBIDDEN",
        message: "People sign in and out on a page of this site only.",
        details: { retryable: false },
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await dashboardStatus(cookie)).toBe(200);
    expect((await sessionIdsOf(owner)).length).toBe(1);
    const own = { origin: testServers().environment.APP_URL ?? "", "sec-fetch-site": "same-origin" };
    for (const headers of [own, {}]) expect((await postToAuth(route, owner, { headers })).status, route).not.toBe(403);
  });

  test.for(ROUTES)(
    "%s without the token of its cookie: never a 200, and nothing is opened or ended",
    async (route, { workspace: { owner } }) => {
      const cookie = await signIn(owner);
      for (const password of [owner.password, "not it"]) {
        const answer = await request("POST", `${testServers().baseUrl}/api/auth/${route}`, {
          headers: { cookie, "x-forwarded-for": freshAddress() },
          body: new URLSearchParams({ ...owner, password, csrfToken: "undefined", json: "true" }),
        });
        expectError(answer, {
          status: 403,
          error: "FORBIDDEN",
          message:
            "`csrfToken` does not belong to this cookie, so nothing was checked. Get both from /api/auth/csrf, then try again.",
          details: { field: "csrfToken", retryable: false },
        });
        expect(answer.headers.getSetCookie().join()).not.toContain("session-token=ey");
      }
      expect(await dashboardStatus(cookie)).toBe(200);
      expect((await sessionIdsOf(owner)).length).toBe(1);
    },
  );
});

describe("many sessions", () => {
  test("of an account are 50 at most: the oldest ends for a new one", async ({ workspace: { owner } }) => {
    const oldest = await signIn(owner, { minutesAgo: 60 });
    for (let i = 0; i < 49; i++) await signIn(owner, { minutesAgo: 30 });
    expect(await dashboardStatus(oldest)).toBe(200);
    const newest = await signInByForm(owner);
    expect([await dashboardStatus(oldest), await dashboardStatus(newest)]).toEqual([307, 200]);
    expect((await sessionIdsOf(owner)).length).toBe(50);
  });

  test("signing in again in one browser ends the session that it had", async ({ workspace: { owner } }) => {
    const former = await signIn(owner);
    const answer = await submitSignIn(owner, { cookie: former });
    expect([await dashboardStatus(former), await dashboardStatus(sessionOf(answer))]).toEqual([307, 200]);
  });

  test("of which one is replaced by signing in again in its browser stay 50: no other one ends", async () => {
    const { owner } = await provisionWorkspace();
    const oldest = await signIn(owner, { minutesAgo: 60 });
    for (let i = 0; i < 48; i++) await signIn(owner, { minutesAgo: 30 });
    const former = await signIn(owner);
    await submitSignIn(owner, { cookie: former });
    expect([await dashboardStatus(former), await dashboardStatus(oldest)]).toEqual([307, 200]);
    expect((await sessionIdsOf(owner)).length).toBe(50);
  });

  test("are listed with browser and masked address, and each is the person's own to end", async () => {
    const { owner, admin } = await provisionWorkspace();
    const [here, theirs] = [await signIn(owner), await signIn(admin)];
    await signIn(owner, { minutesAgo: 30 });
    const page = (await readAt("/dashboard/account", here)).text;
    for (const words of ["This session", "Firefox on Linux", "203.0.113.x", "Sign out everywhere else"]) {
      expect(page).toContain(words);
    }
    const [sessionId = ""] = await sessionIdsOf(admin);
    const path = "/dashboard/account";
    const end = (id: string) =>
      act("app/dashboard/account/actions.ts#endSession", { fields: { sessionId: id }, cookie: here, path });
    expect((await end(sessionId)).said).toMatchObject({ ok: true });
    expect(await dashboardStatus(theirs)).toBe(200);
    expect((await end("ses_\0")).said).toMatchObject({ ok: false });
    const own = (await sessionIdsOf(owner)).at(-1) ?? "";
    expect((await end(own)).goesTo).toBe("/sign-in");
    expect(await dashboardStatus(here)).toBe(307);
  });

  test("a page that is asked for in the moment of signing out is whole or refused, and refused from then on", async () => {
    const { owner } = await provisionWorkspace();
    for (let round = 0; round < 3; round++) {
      const cookie = await signIn(owner);
      const pages = Array.from({ length: 8 }, () => dashboardStatus(cookie));
      await callAction("app/dashboard/actions.ts#signOut", { headers: { cookie } });
      expect(await dashboardStatus(cookie)).toBe(307);
      // A machine that is busy with other tests may have no connection for all of them.
      for (const status of await Promise.all(pages)) expect([200, 307, 503]).toContain(status);
    }
  });
});
