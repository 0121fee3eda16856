import { readdirSync, readFileSync, statSync } from "node:fs";
import { beforeAll, describe, expect } from "vitest";
import type { Endpoint } from "@/lib/api/endpoint";
import { API_ROOT } from "@/lib/api/endpoint";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { createKey } from "@/lib/api-keys/change-key";
import { newKeyPair } from "@/lib/api-keys/key-pair";
import { provenWorkspaceId } from "@/lib/core/principal";
import { actionIn, callAction, postAction, saidByAction } from "../../support/actions";
import { testServers } from "../../support/environment";
import { limitKey } from "../../support/key-limits";
import { freshAddress } from "../../support/limits";
import { sql } from "../../support/rows";
import { endSessionsOf, readAs, readAt, signIn } from "../../support/session";
import { test } from "../../support/test";
import { type Answer, provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";
import { ASKS, type Entry, type Target, VISITORS, type Visitor } from "../access/entry";
import { KEY_LIMITS, LIMITED_CALLS, type LimitRow } from "../access/key-limits";
import { MATRIX } from "../access/matrix";
import { furnishTarget } from "../access/target";

let target: Target;
let other: TestWorkspace;
let visitorHeaders: Record<Visitor, Record<string, string>>;
let actions: Record<string, string>;

beforeAll(async () => {
  const [own, revoked] = [await furnishTarget(), await provisionWorkspace()];
  target = own;
  other = await provisionWorkspace();
  await sql`update api_keys set revoked_at = now() where api_key = ${revoked.apiKey}`;
  const key = ({ apiKey, apiSecret }: TestWorkspace) => ({ apiKey, apiSecret });
  visitorHeaders = {
    anonymous: {},
    apiKey: key(own),
    otherKey: key(other),
    revokedKey: key(revoked),
    ...(await signedInVisitors()),
  };
  const dashboard = await pageOfTwoWorkspaces(revoked, other);
  const texts = MATRIX.flatMap(({ form }) => (form ? [form.text] : []));
  actions = Object.fromEntries(texts.map((text) => [text, actionIn(dashboard, text)]));
});

const signedInVisitors = async () => ({
  member: { cookie: await signIn(target.member) },
  admin: { cookie: await signIn(target.admin) },
  owner: { cookie: await signIn(target.owner) },
  otherOwner: { cookie: await signIn(other.owner) },
});

/** The dashboard of a member of two workspaces holds the form of every action. */
const pageOfTwoWorkspaces = async (one: TestWorkspace, two: TestWorkspace): Promise<string> => {
  await sql`
      insert into members (workspace_id, user_id, role)
      select ${two.workspaceId}, id, 'member' from users where email = ${one.owner.email}`;
  return (await readAs(one.owner, "/dashboard")).text;
};

const ask = async (entry: Entry, visitor: Visitor, id?: string): Promise<Answer> => {
  const headers = { ...entry.headers, ...visitorHeaders[visitor], "x-forwarded-for": freshAddress() };
  if (entry.form) {
    return postAction(actions[entry.form.text] ?? "", { fields: entry.form.fields(target, id), headers });
  }
  if (entry.call) {
    const fields = { workspaceId: target.workspaceId, ...entry.call(target, id) };
    return callAction(`app/${entry.file}`, { fields, headers, path: entry.path(target, id) });
  }
  const body = entry.body?.(target) ?? (entry.method === "POST" ? {} : undefined);
  return request(entry.method, `${testServers().baseUrl}${entry.path(target, id)}`, {
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};

const outcome = ({ status, headers, text }: Answer): string => {
  const location = headers.get("location") ?? headers.get("x-action-redirect")?.split(";")[0] ?? null;
  const said = headers.get("content-type")?.startsWith("text/x-component") ? saidByAction(text) : undefined;
  if (status === 200 && text.includes("Your role cannot open this page")) return ASKS;
  if (status === 200 && said) return `${status} ${said.ok ? "done" : "refused"}`;
  return location === null ? `${status}` : `${status} ${new URL(location, testServers().baseUrl).pathname}`;
};

/** The ids of the partner API's endpoints that none of these calls reaches. */
const endpointsWithout = (calls: string[]): string[] => {
  const isReached = ({ method, path }: Endpoint) => {
    const call = new RegExp(`^${method} ${API_ROOT}${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return calls.some((one) => call.test(one));
  };
  return ENDPOINTS.filter((endpoint) => !isReached(endpoint)).map(({ id }) => id);
};

describe("the matrix", () => {
  test("has a row for every route, page and action, and none for what is gone", () => {
    expect([...new Set(MATRIX.map(({ file }) => file))].toSorted()).toEqual(answeringFiles().toSorted());
  });

  test("has a row for every endpoint of the partner API", () => {
    const rows = MATRIX.map(({ method, path }) => `${method} ${path(target)}`);
    expect(endpointsWithout(rows)).toEqual([]);
  });

  test("has a row for every method that a route takes", async () => {
    for (const entry of MATRIX.filter(({ file }) => /^\/|route\.ts$/.test(file))) {
      const answer = await request("PATCH", `${testServers().baseUrl}${entry.path(target)}`, {
        headers: { "x-forwarded-for": freshAddress() },
      });
      const taken = (answer.headers.get("allow") ?? "").split(", ").filter((name) => name && name !== "HEAD");
      const rows = MATRIX.filter(({ file }) => file === entry.file).map(({ method }) => `${method}`);
      expect(
        taken.filter((method) => !rows.includes(method)),
        entry.file,
      ).toEqual([]);
    }
  });

  test.each(MATRIX.map((entry, i): [string, number] => [`${entry.method} ${entry.file} (${i})`, i]))(
    "%s",
    async (_name, i) => {
      const entry = MATRIX[i] ?? fail("no such entry");
      const answers: [Visitor, string][] = [];
      for (const visitor of VISITORS) {
        const answer = await ask(entry, visitor);
        answers.push([visitor, outcome(answer)]);
        if (visitor === "otherOwner" || visitor === "otherKey") expectNothingOfTarget(entry, answer);
      }
      if (entry.endsSessions) Object.assign(visitorHeaders, await signedInVisitors());
      const expected = VISITORS.map((visitor) => [visitor, `${entry.expected[visitor]}`]);
      expect(answers).toEqual(expected);
    },
  );

  test.each(MATRIX.flatMap((entry, i): [string, number][] => (entry.absentId ? [[entry.file, i]] : [])))(
    "%s answers to a stranger as if the id did not exist",
    async (_name, i) => {
      const entry = MATRIX[i] ?? fail("no such entry");
      const isKey = entry.expected.otherKey === 404;
      const visitor = isKey ? "otherKey" : "otherOwner";
      const absentId = entry.absentId ?? "";
      const theirId = idIn(entry);
      const [theirs, absent] = [await ask(entry, visitor), await ask(entry, visitor, absentId)];
      expect(anonymous(theirs, theirId)).toEqual(anonymous(absent, absentId));
      expect(theirs.status).toBe(404);
    },
  );
});

describe("a key with a limit", () => {
  test("has a row for every endpoint", () => {
    const calls = Object.values(LIMITED_CALLS).map((callOf) => callOf(target));
    expect(endpointsWithout(calls.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
  });

  test.each(
    Object.entries(KEY_LIMITS).flatMap(([name, rows]) => rows.map((row, i) => [`${name} (${i})`, row] as const)),
  )("%s", async (_name, row) => {
    const key = await limitedKeyOf(target, row);
    const answers = await Promise.all(
      Object.entries(LIMITED_CALLS).map(async ([name, callOf]) => {
        const { method, path, body } = callOf(target);
        const { status, body: said } = await target.call(method, path, { key, body });
        return [name, [status, said.details?.reason].filter(Boolean).join(" ")];
      }),
    );
    expect(Object.fromEntries(answers)).toEqual(row.expected);
  });
});

/** A new key of the workspace which has sent one message, and then got these limits. */
const limitedKeyOf = async (workspace: TestWorkspace, { limits, isExpired }: LimitRow) => {
  const by = { actor: { kind: "user", id: "usr_1" }, requestId: null } as const;
  const key = await createKey(provenWorkspaceId(workspace.workspaceId), { label: "limited", mode: "live" }, by);
  const { method, path, body } = LIMITED_CALLS.send(target);
  expect((await workspace.call(method, path, { key, body })).status).toBe(201);
  await limitKey(workspace, limits(target), { apiKey: key.apiKey });
  if (isExpired) await sql`update api_keys set expires_at = now() where api_key = ${key.apiKey}`;
  return key;
};

describe("in the middle of a session", () => {
  const KEYS = "/dashboard/settings/api-keys";

  const get = async (path: string, cookie: string) => outcome(await readAt(path, cookie));

  const setRole = ({ workspaceId, member }: TestWorkspace, role: string) => sql`
    update members set role = ${role} where workspace_id = ${workspaceId}
      and user_id = (select id from users where email = ${member.email})`;

  test("a role takes effect on the next request, up and down", async ({ workspace }) => {
    const cookie = await signIn(workspace.member);
    for (const [role, status] of [
      ["member", ASKS],
      ["admin", "200"],
      ["member", ASKS],
      ["owner", "200"],
    ]) {
      await setRole(workspace, role ?? "");
      expect(await get(KEYS, cookie), role).toBe(status);
    }
  });

  test("a removed member is out of pages, routes and actions at the next request", async ({ workspace }) => {
    const cookie = await signIn(workspace.member);
    const lines = `/api/v1/workspaces/${workspace.workspaceId}/phone-numbers`;
    expect([await get("/dashboard", cookie), await get(lines, cookie)]).toEqual(["200", "200"]);
    await sql`
        delete from members where workspace_id = ${workspace.workspaceId}
          and user_id = (select id from users where email = ${workspace.member.email})`;
    expect([await get("/dashboard", cookie), await get(lines, cookie)]).toEqual(["307 /sign-in", "404"]);
    const fields = { workspaceId: workspace.workspaceId };
    const switched = await postAction(actions["Switch to"] ?? "", { fields, headers: { cookie } });
    expect(outcome(switched)).toBe("404");
  });

  test("a session that was ended in the database opens nothing any more", async ({ workspace }) => {
    const cookie = await signIn(workspace.owner);
    await endSessionsOf(workspace.owner);
    const pages = MATRIX.filter(
      ({ file, expected }) => file.endsWith("page.tsx") && expected.anonymous === "307 /sign-in",
    );
    for (const { path } of pages) expect(await get(path(target), cookie)).toBe("307 /sign-in");
    const fields = { workspaceId: workspace.workspaceId };
    const switched = await postAction(actions["Switch to"] ?? "", { fields, headers: { cookie } });
    expect(outcome(switched)).toBe("303 /sign-in");
  });
});

describe("401s", () => {
  test("take alike long, whatever is wrong with the pair", async () => {
    const stranger = newKeyPair("live");
    const pairs = {
      "an unknown key": stranger,
      "a wrong secret": { apiKey: target.apiKey, apiSecret: stranger.apiSecret },
      "a revoked pair": visitorHeaders.revokedKey,
    };
    const times = Object.keys(pairs).map((name) => ({ name, ms: [] as number[] }));
    for (let round = 0; round < 80; round++) {
      for (const [i, { apiKey = "", apiSecret = "" }] of Object.values(pairs).entries()) {
        const headers = { apiKey, apiSecret, "x-forwarded-for": freshAddress() };
        const startedAtMs = performance.now();
        const answer = await request("GET", `${testServers().baseUrl}/api/v1/public/templates`, { headers });
        times[i]?.ms.push(performance.now() - startedAtMs);
        expect(answer.status).toBe(401);
      }
    }
    const medians = times.map(({ name, ms }) => ({ name, ms: median(ms) }));
    console.log(`401, median: ${medians.map(({ name, ms }) => `${name} ${ms.toFixed(2)} ms`).join(", ")}`);
    const all = medians.map(({ ms }) => ms);
    expect(Math.max(...all) / Math.min(...all)).toBeLessThan(3);
  });
});

/** The paths of the tables that these routes serve. */
const TABLES: Record<string, string> = {
  "api/[[...path]]/route.ts": "app/api/routes.ts",
  "api/v1/workspaces/[...path]/route.ts": "app/api/member-routes.ts",
};

const pathsIn = (table: string): string[] =>
  [...readFileSync(table, "utf8").matchAll(/path: "([^"]+)"/g)].map(([, path = ""]) => path);

/** Routes and pages, and the exports of every file of server actions. */
const answeringFiles = (): string[] =>
  readdirSync("app", { recursive: true, encoding: "utf8" }).flatMap((file) => {
    if (TABLES[file]) return pathsIn(TABLES[file]);
    if (/(^|\/)(route\.ts|page\.tsx)$/.test(file)) return [file];
    // The folder of a route may be named as the file that it serves.
    if (!/\.tsx?$/.test(file) || statSync(`app/${file}`).isDirectory()) return [];
    const source = readFileSync(`app/${file}`, "utf8");
    if (!/^\s*["']use server["']/m.test(source)) return [];
    return [...source.matchAll(/^export (?:const|async function|function) (\w+)/gm)].map(
      ([, name]) => `${file}#${name}`,
    );
  });

const idIn = ({ path, form, call }: Entry): string => {
  const mark = "~id~";
  const fields = form?.fields ?? call;
  const held = fields ? JSON.stringify(fields(target, mark)) : path(target, mark);
  const own = fields ? JSON.stringify(fields(target)) : path(target);
  const [before = "", after = ""] = held.split(mark);
  return own.slice(before.length, own.length - after.length);
};

/** An answer without what differs from one request to the next: the id asked for, our own ids, nonces. */
const anonymous = ({ status, headers, text }: Answer, id: string) => ({
  status,
  headers: [...headers.keys()].filter((name) => name !== "content-length").toSorted(),
  text: text
    .replaceAll(id, "ID")
    .replace(/req_\w+/g, "REQUEST")
    .replace(/[\w+/]{22}==/g, "NONCE")
    // Next's own names of the parts of a head.
    .replace(/"[\w-]{21}[vm]"/g, '"HEAD"'),
});

const expectNothingOfTarget = (entry: Entry, { text }: Answer) => {
  const asked = entry.form ? JSON.stringify(entry.form.fields(target)) : entry.path(target);
  const secrets = [target.messageId, target.phoneNumberId, target.workspaceId, target.apiKey, target.owner.email];
  // Their own log of calls holds what they have asked for themselves.
  const reported = asked === "/dashboard/requests" ? text.replaceAll(`/messages/${target.messageId}`, "") : text;
  const leaked = secrets.filter((secret) => reported.includes(secret) && !asked.includes(secret));
  expect(`${entry.file} ${asked}`.includes("send") ? [] : leaked, entry.file).toEqual([]);
};

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

const fail = (message: string): never => {
  throw new Error(message);
};
