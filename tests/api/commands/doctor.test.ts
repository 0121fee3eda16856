import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Finding } from "@/lib/core/finding";
import { runCommand } from "../../support/commands";
import { createDatabase, type TestDatabase } from "../../support/databases";
import { testServers } from "../../support/environment";
import { listenOnLoopback } from "../../support/loopback";
import { startMailServer } from "../../support/mail-server";
import { startPooler } from "../../support/pooler";
import { DOCTOR, type Environment, PROVISION, runProgram, serverEnvironment } from "../../support/programs";
import { startUpstash } from "../../support/upstash";

const CLOSED = "http://127.0.0.1:1";
const LINE = { ref: "support", label: "Support", displayPhoneNumber: "+44 20 7946 0123", isActive: true };
const SENDER = "Switchboard <alerts@example.test>";
const PLATFORM_IDS = { whatsappPhoneNumberId: "106500001", whatsappBusinessAccountId: "102200001" };

/** Databases of their own: other tests leave tokens behind that no key opens, as they mean to. */
let withLine: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  [withLine, empty] = await Promise.all([createDatabase({ isMigrated: true }), createDatabase({ isMigrated: true })]);
  const phoneNumbers = [{ ...LINE, ...PLATFORM_IDS, mode: "live", accessToken: "EAAtoken-of-the-examined-line" }];
  const document = { workspaces: [{ ref: "examined", name: "Examined", phoneNumbers }] };
  const provisioned = await runProgram([...PROVISION, "-"], serverEnvironment({ DATABASE_URL: withLine.url }), {
    input: [JSON.stringify(document)],
  });
  expect(provisioned.exitCode, provisioned.stderr).toBe(0);
  await sweptAgo("1 minute");
});

const sweptAgo = (interval: string) =>
  withLine.sql`
    insert into roll_up_marks (id, until) values ('sweep', now() - ${interval}::interval)
    on conflict (id) do update set until = excluded.until`;

afterAll(() => Promise.all([withLine.drop(), empty.drop()]));

/** What is found of this run's server, over a database with one live line. */
async function examine(changes: Environment = {}) {
  const { exitCode, stdout, stderr } = await runCommand(DOCTOR, ["--json"], { DATABASE_URL: withLine.url, ...changes });
  expect(stderr).toBe("");
  const { isWell, findings }: { isWell: boolean; findings: Finding[] } = JSON.parse(stdout);
  expect([exitCode, isWell]).toEqual(findings.some(({ state }) => state === "failed") ? [1, false] : [0, true]);
  const found = (name: string) => findings.find((finding) => finding.name === name);
  return { exitCode, findings, found, states: new Set(findings.map(({ state }) => state)) };
}

const failure = (words: string | RegExp, advice: string | RegExp) => ({
  state: "failed",
  words: expect.stringMatching(words),
  advice: expect.stringMatching(advice),
});

describe("0", () => {
  test("a sound deployment passes every check, in this order", async () => {
    const { exitCode, findings, states } = await examine();
    expect([exitCode, [...states]], JSON.stringify(findings)).toEqual([0, ["passed"]]);
    expect(findings.map(({ name }) => name)).toEqual([
      "variables",
      "database",
      "schema",
      "time zones",
      "connections",
      "database clock",
      "limiter",
      "platform",
      "platform clock",
      "address",
      "server",
      "webhook",
      "tokens",
      "sweeper",
    ]);
  });

  test("zone data that lacks a zone in use, or is older than another instance's, is named with what to update", async () => {
    const zonesWith = async (change: Record<string, string>) => {
      await withLine.sql`update workspaces set ${withLine.sql(change)}`;
      return (await examine()).found("time zones");
    };
    expect(await zonesWith({ days_counted_by: "UTC 2999a" })).toMatchObject({
      state: "warning",
      words: expect.stringContaining("another instance’s is 2999a"),
      advice: expect.stringContaining("Update Node"),
    });
    expect(await zonesWith({ time_zone: "Europe/Atlantis" })).toMatchObject(
      failure(/lacks zones in use.*: Europe\/Atlantis \(1\)$/, "Update Node"),
    );
    expect(await zonesWith({ time_zone: "UTC", days_counted_by: "UTC 2020a" })).toMatchObject({ state: "passed" });
  });

  test("for a person each check is a line, and none shows a secret", async () => {
    const { exitCode, stdout } = await runCommand(DOCTOR, [], { DATABASE_URL: withLine.url });
    expect(exitCode).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBe(14);
    for (const line of lines) expect(line).toMatch(/^ok {4}\w+( clock| zones)? +\S.*\.$/);
    const { APP_URL, PORT, DRAIN_SECONDS, WHATSAPP_GRAPH_URL, TRUSTED_PROXY_HOPS, MEDIA_FETCH_ALLOW, ...secrets } =
      testServers().environment;
    for (const secret of Object.values(secrets)) expect(stdout).not.toContain(secret);
  });

  test("a fast clock, a token that only the previous key opens and too few connections for a second process are warnings", async () => {
    const { ENCRYPTION_KEY } = testServers().environment;
    const { exitCode, found } = await examine({
      ...clockOffBy(5_000),
      ENCRYPTION_KEY: "another key of more than 32 letters",
      ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY,
      DATABASE_POOL_MAX: "60",
    });
    expect(exitCode).toBe(0);
    const ahead = expect.stringMatching(/^This machine’s clock is [3-6] s ahead of /);
    expect(found("database clock")).toMatchObject({ state: "warning", words: ahead });
    expect(found("platform clock")).toMatchObject({ state: "warning", words: ahead });
    expect(found("tokens")).toMatchObject({ state: "warning", advice: expect.stringContaining("encryption-rotate") });
    const few = expect.stringMatching(/^A process opens up to 122 connections, .* too few for a second process$/);
    expect(found("connections")).toMatchObject({ state: "warning", words: few });
  });

  test("mail is tried until the server accepts a recipient, and none is sent; one that it refuses is a warning", async () => {
    const server = await startMailServer();
    onTestFinished(() => server.stop());
    const mail = async () => (await examine({ SMTP_URL: server.url, MAIL_FROM: SENDER })).found("mail");
    expect(await mail()).toMatchObject({ state: "passed" });
    expect([server.asked(), server.mails]).toEqual([1, []]);
    server.behave("refuse");
    expect(await mail()).toMatchObject({ state: "warning", words: expect.stringContaining("(550 at RCPT TO)") });
  });

  test("a platform that is out of reach is a warning while no live line needs it", async () => {
    const { exitCode, found } = await examine({ DATABASE_URL: empty.url, WHATSAPP_GRAPH_URL: CLOSED });
    expect([exitCode, found("platform")?.state]).toEqual([0, "warning"]);
  });

  test("a pooler before the database is a warning, until its user has time limits", async () => {
    const door = await startPooler(withLine.url, "refuses");
    const alter = (change: string) =>
      withLine.sql.unsafe(`alter database ${new URL(withLine.url).pathname.slice(1)} ${change}`);
    try {
      const { exitCode, found } = await examine({ DATABASE_URL: door.url });
      expect(exitCode).toBe(0);
      const warning = {
        state: "warning",
        words: expect.stringMatching(/pooler/),
        advice: expect.stringMatching(/alter role/),
      };
      expect(found("pooler")).toMatchObject(warning);
      expect(found("connections")).toBeUndefined();
      await alter("set statement_timeout = '2200ms'");
      expect((await examine({ DATABASE_URL: door.url })).found("pooler")).toMatchObject({ state: "passed" });
    } finally {
      await alter("reset statement_timeout");
      await door.stop();
    }
  });

  test("a pooler before a database that compiles statements is a warning", async () => {
    const door = await startPooler(withLine.url, "refuses");
    const alter = (change: string) =>
      withLine.sql.unsafe(`alter database ${new URL(withLine.url).pathname.slice(1)} ${change}`);
    try {
      await alter("set jit = on");
      const { found } = await examine({ DATABASE_URL: door.url });
      expect(found("jit")).toMatchObject({ state: "warning", advice: expect.stringMatching(/set jit = off/) });
      await alter("set jit = off");
      expect((await examine({ DATABASE_URL: door.url })).found("jit")).toBeUndefined();
    } finally {
      await alter("reset jit");
      await door.stop();
    }
  });

  test("a limiter's store that answers passes", async () => {
    const store = await startUpstash();
    const { url, token } = store;
    const { exitCode, found } = await examine({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token });
    expect([exitCode, found("limiter")?.words]).toEqual([0, expect.stringContaining(new URL(url).host)]);
    await store.stop();
  });
});

describe("1", () => {
  test("variables that are missing or wrong are each named, and nothing else is looked at", async () => {
    const { findings } = await examine({ KEY_PEPPER: undefined, APP_URL: "messages.example.com" });
    expect(findings.map(({ name, state, words }) => [name, state, words])).toEqual([
      ["variables", "failed", "APP_URL must be an http or https address"],
      ["variables", "failed", "KEY_PEPPER is required"],
    ]);
  });

  test.each([
    { at: "connection", code: 554, advice: "Check its host" },
    { at: "AUTH", code: 535, advice: "Check user and password" },
    { at: "MAIL FROM", code: 550, advice: "MAIL_FROM" },
    { at: "RCPT TO", code: 530, advice: "relay" },
  ] as const)(
    "a mail server that refuses us at $at with $code is named with its step and what to do",
    async ({ advice, ...refusal }) => {
      const server = await startMailServer();
      onTestFinished(() => server.stop());
      server.behave({ ...refusal, words: "Not you" });
      const { found } = await examine({ SMTP_URL: server.url, MAIL_FROM: SENDER });
      expect(found("mail")).toMatchObject(
        failure(`(${refusal.code} at ${refusal.at})`.replace(/[()]/g, "\\$&"), advice),
      );
    },
  );

  test("a mail server whose certificate no authority signed, or that is gone, is named by the fault", async () => {
    const server = await startMailServer({ isEncrypted: true });
    const mail = async () => (await examine({ SMTP_URL: server.url, MAIL_FROM: SENDER })).found("mail");
    expect(await mail()).toMatchObject(failure(/\((\w+_)?CERT\w* at connection\)/, "NODE_EXTRA_CA_CERTS"));
    await server.stop();
    expect(await mail()).toMatchObject(failure(/\(ECONNREFUSED at connection\)/, "Check its host"));
  });

  test("a database where nobody listens is reported, and what does not rest on it is looked at", async () => {
    const { findings, found } = await examine({ DATABASE_URL: "postgres://u:p4ssw0rd@127.0.0.1:1/x" });
    const words = /^Nothing listens at 127\.0\.0\.1:1$/;
    expect(found("database")).toMatchObject(failure(words, /DATABASE_URL/));
    expect([found("schema"), found("tokens"), found("webhook")?.state]).toEqual([undefined, undefined, "passed"]);
    expect(JSON.stringify(findings)).not.toContain("p4ssw0rd");
  });

  test("a database that was never made", async () => {
    const url = new URL(empty.url);
    url.pathname = "/never_made";
    const { found } = await examine({ DATABASE_URL: url.href });
    expect(found("database")).toMatchObject(failure("has no such database$", "Create it"));
  });

  test("an old schema", async () => {
    const old = await createDatabase({ isMigrated: false });
    const { found } = await examine({ DATABASE_URL: old.url });
    expect(found("schema")).toMatchObject(failure("older than this program", "npm run db:migrate"));
    await old.drop();
  });

  test("a slow clock, more connections than Postgres has, another verify token and a key that opens no token", async () => {
    const { found } = await examine({
      ...clockOffBy(-120_000),
      DATABASE_POOL_MAX: "1000",
      WHATSAPP_VERIFY_TOKEN: "another verify token",
      ENCRYPTION_KEY: "another key of more than 32 letters",
    });
    const behind = /^This machine’s clock is 1[12]\d s behind (the database|WhatsApp)’s$/;
    expect(found("database clock")).toMatchObject(failure(behind, "NTP"));
    expect(found("platform clock")).toMatchObject(failure(behind, "NTP"));
    expect(found("connections")).toMatchObject(failure(/^A process opens up to 2004 connections/, "DATABASE_POOL_MAX"));
    expect(found("webhook")).toMatchObject(failure(/answered HTTP 403/, "another WHATSAPP_VERIFY_TOKEN"));
    expect(found("tokens")).toMatchObject(failure(/^1 of 1 stored tokens .*: ws_\w+\/pn_\w+$/, "ENCRYPTION_KEY"));
  });

  test("a limiter's store with another token, at a wrong address, and one that refuses", async () => {
    const store = await startUpstash();
    const withStore = (url: string, token: string) =>
      examine({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token });
    const [token, address] = [
      (await withStore(store.url, "another-token")).found("limiter"),
      (await withStore(testServers().mediaUrl, store.token)).found("limiter"),
    ];
    expect(token).toMatchObject(failure(/refuses the token$/, "UPSTASH_REDIS_REST_TOKEN"));
    expect(token?.words).not.toContain("another-token");
    expect(address).toMatchObject(failure(/not as Upstash’s REST API does$/, "UPSTASH_REDIS_REST_URL"));
    store.feel("error");
    const sick = (await withStore(store.url, store.token)).found("limiter");
    expect(sick).toMatchObject(failure(/refuses: ERR max daily request limit exceeded$/, "Upstash"));
    await store.stop();
  });

  test("where no one answers: a platform that a live line needs, a limiter's store, and the public address, which is plain http", async () => {
    const { found } = await examine({
      WHATSAPP_GRAPH_URL: CLOSED,
      UPSTASH_REDIS_REST_URL: CLOSED,
      UPSTASH_REDIS_REST_TOKEN: "a-token",
      APP_URL: "http://switchboard.invalid",
    });
    expect(found("platform")).toMatchObject(failure(/could not be reached/, "WHATSAPP_GRAPH_URL"));
    expect(found("limiter")).toMatchObject(failure(/could not be reached \(\w+\)$/, "UPSTASH_REDIS_REST_URL"));
    expect(found("address")).toMatchObject(failure("plain http", "https"));
    expect(found("server")).toMatchObject(failure(/could not be reached/, "APP_URL"));
    expect(found("webhook")).toMatchObject(failure(/could not be reached/, "The server comes first"));
  });

  test("another server at the public address", async () => {
    const { found } = await examine({ APP_URL: testServers().platformUrl });
    expect(found("server")).toMatchObject(failure("not as this server does", "another server"));
  });

  test("a proxy that keeps WhatsApp from the webhook alone", async () => {
    const proxy = createServer(async ({ url = "/" }, response) => {
      if (url.startsWith("/api/webhooks/")) return void response.writeHead(401).end("Sign in first");
      const answer = await fetch(`${testServers().baseUrl}${url}`);
      response.writeHead(answer.status).end(await answer.text());
    });
    const { url, close } = await listenOnLoopback(proxy);
    const { found } = await examine({ APP_URL: url });
    expect(found("server")?.state).toBe("passed");
    expect(found("webhook")).toMatchObject(failure(/answered HTTP 401/, "Let GET and POST of this one path through"));
    await close();
  });

  test("a sweep that is late, and on Vercel the plan that makes it so", async () => {
    await sweptAgo("1 hour");
    expect((await examine()).found("sweeper")).toMatchObject({
      state: "warning",
      words: expect.stringMatching(/^The last sweep ran 36\d\d s ago$/),
    });
    expect((await examine({ VERCEL: "1" })).found("sweeper")?.advice).toContain("Hobby");
    await sweptAgo("1 minute");
  });

  test("on Vercel, a scheduler that has no secret", async () => {
    const { found } = await examine({ VERCEL: "1", CRON_SECRET: undefined });
    expect(found("sweeper")).toMatchObject(failure("Without CRON_SECRET", "Set CRON_SECRET"));
  });
});

describe("2", () => {
  test.each([[["--fix"]], [["twice"]]])("%j is not understood", async (words) => {
    const refused = await runCommand(DOCTOR, words);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("Usage: switchboard doctor");
  });
});

function clockOffBy(ms: number): Environment {
  const preload = fileURLToPath(new URL("../../faults/shift-clock.cjs", import.meta.url));
  return { NODE_OPTIONS: `--require ${preload}`, FAULT_CLOCK_MS: `${ms}` };
}
