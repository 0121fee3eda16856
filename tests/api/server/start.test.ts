import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { SERVER } from "../../../scripts/server-process.mjs";
import { createDatabase, everything, type TestDatabase } from "../../support/databases";
import { startOwnProgram, startOwnServer } from "../../support/own-server";
import { processTree } from "../../support/process-tree";
import { type Environment, type Finished, MIGRATE, runProgram, serverEnvironment } from "../../support/programs";
import { head } from "../../support/raw-http";
import { callsOf, TEXT } from "../../support/sends";
import { provisionWorkspace, scriptMessages, type TestWorkspace } from "../../support/workspace";

async function newDatabase(isMigrated: boolean): Promise<TestDatabase> {
  const database = await createDatabase({ isMigrated });
  onTestFinished(() => database.drop());
  return database;
}

const PATH = { PATH: process.env.PATH };

/** For workers without pages, which start in a third of the time. */
const API_ONLY = ["--pages", "none"];

/** A server over the run's database, ready for requests. */
async function start(changes: Environment = {}, args: string[] = []) {
  const program = await startOwnServer(changes, args);
  // A single process without pages does not say when it is ready.
  if (args.includes("--pages") && !changes.WORKERS)
    await expect.poll(() => statusOf(`${program.baseUrl}/api/health`), { timeout: 60_000 }).toBe(200);
  else await program.says("ready on");
  return program;
}

/** What a server that must not start says. It says so within a test's time, where one that waits for a database goes on. */
async function refuses(env: Environment, args: string[] = []): Promise<string[]> {
  const finished: Finished = await runProgram([...SERVER, ...args], env);
  expect(finished.exitCode, finished.stdout + finished.stderr).toBe(1);
  expect(finished.stdout).not.toContain("ready on");
  return finished.stderr.trimEnd().split("\n");
}

describe("npm start refuses", () => {
  test("an environment without anything, naming everything that is missing", async () => {
    const lines = await refuses({ ...PATH, PORT: `${await freePort()}` });
    expect(lines).toEqual([
      "The environment is not complete:",
      ...["DATABASE_URL", "APP_URL", "NEXTAUTH_SECRET", "KEY_PEPPER", "ENCRYPTION_KEY"].map(
        (name) => `  ${name} is required`,
      ),
      "  WHATSAPP_APP_SECRET is required",
      "  WHATSAPP_VERIFY_TOKEN is required",
      "Each variable is described in .env.example.",
    ]);
  });

  test.each<[string, Partial<Pick<URL, "password" | "search">>, RegExp]>([
    ["a wrong password", { password: "hidden-word" }, /refuses the user or the password\. Fix them in/],
    ["a setting that Postgres does not know", { search: "schema=public" }, /does not know a setting/],
  ])("a DATABASE_URL with %s, in one line that quotes none of it", async (_, change, reason) => {
    const url = Object.assign(new URL(serverEnvironment().DATABASE_URL ?? ""), change);
    const lines = await refuses(serverEnvironment({ PORT: `${await freePort()}`, DATABASE_URL: url.href }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^DATABASE_URL cannot be used\. Postgres at 127\.0\.0\.1:\d+ /);
    expect(lines[0]).toMatch(reason);
    expect(lines[0]).not.toContain("hidden-word");
  });

  test("a user that may not read the tables", async () => {
    const { url, sql } = await newDatabase(true);
    const role = `role_${new URL(url).pathname.slice(-12)}`;
    await sql.unsafe(`create role ${role} login password 'first'`);
    const changed = Object.assign(new URL(url), { username: role, password: "first" });
    expect(await refuses(serverEnvironment({ PORT: `${await freePort()}`, DATABASE_URL: changed.href }))).toEqual([
      expect.stringMatching(/^DATABASE_URL cannot be used\. The user of DATABASE_URL may not read the tables/),
    ]);
    await sql.unsafe(`drop role ${role}`);
  });

  test("an old schema, which it leaves as it is", async () => {
    const sentence = "The database's schema is older than this program. Run `npm run db:migrate` first.";
    const empty = await newDatabase(false);
    const port = `${await freePort()}`;
    expect(await refuses(serverEnvironment({ PORT: port, DATABASE_URL: empty.url }))).toEqual([sentence]);
    expect(await everything(empty.sql)).toEqual({});
    const [{ count } = { count: -1 }] = await empty.sql`
      select count(*)::int as count from information_schema.tables where table_schema in ('public', 'drizzle')`;
    expect(count).toBe(0);

    const older = await newDatabase(true);
    await older.sql`
      delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)`;
    expect(await refuses(serverEnvironment({ PORT: port, DATABASE_URL: older.url }))).toEqual([sentence]);
  });

  test("a folder for temporary files that is not there, or that it may not write", async () => {
    const [line = "", ...rest] = await refuses(serverEnvironment({ TMPDIR: "/nowhere", PORT: `${await freePort()}` }));
    expect(rest).toEqual([]);
    expect(line).toBe("/nowhere cannot be written (ENOENT). Set TMPDIR to a folder for temporary files that can be.");
  });

  test("a PORT that is no port", async () => {
    const lines = await refuses(serverEnvironment({ PORT: "70000" }));
    expect(lines).toContain("  PORT must be a whole number from 0 to 65535");
    expect(lines).toHaveLength(3);
  });

  test("a port that is taken", async () => {
    const port = await freePort();
    const holder = createServer().listen(port, "127.0.0.1");
    expect(await refuses(serverEnvironment({ PORT: `${port}` }), ["-H", "127.0.0.1"])).toEqual([
      `Port ${port} is taken. Set PORT to another one.`,
    ]);
    holder.close();
  });
});

describe("npm start", () => {
  test("listens on PORT at every address, and with -H at one only", async () => {
    const [everywhere, here] = await Promise.all([start(), start({}, [...API_ONLY, "-H", "127.0.0.1"])]);
    expect(await statusOf(`http://127.0.0.1:${everywhere.port}/api/health`)).toBe(200);
    expect(await statusOf(`http://127.0.0.2:${everywhere.port}/api/health`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${here.port}/api/health`)).toBe(200);
    expect(await statusOf(`http://127.0.0.2:${here.port}/api/health`)).toBe("refused");
  });

  test("comes up without a database, at a host that no name service knows yet, says so to health checks and what it waits for", async () => {
    const server = await start({ DATABASE_URL: "postgres://u:p@db.nowhere.invalid/x" }, API_ONLY);
    expect(await statusOf(`${server.baseUrl}/api/health`)).toBe(200);
    expect(await statusOf(`${server.baseUrl}/api/health/ready`)).toBe(503);
    await expect
      .poll(() => server.said.stdout)
      .toMatch(/start\.database-away.*"The name of db\.nowhere\.invalid (is unknown|could not be looked up)"/);
  });

  test("prints the token for the first account also where its database comes up later", async () => {
    const { url } = await newDatabase(true);
    const { port: own } = new URL(url);
    const port = await freePort();
    const server = await start({ DATABASE_URL: Object.assign(new URL(url), { port: `${port}` }).href }, API_ONLY);
    await expect.poll(() => server.said.stdout).toContain("start.database-away");
    expect(server.said.stdout).not.toContain("setUp.token");
    const door = createServer((socket) => {
      const inner = connect(Number(own), "127.0.0.1").on("error", () => socket.destroy());
      socket
        .on("error", () => inner.destroy())
        .pipe(inner)
        .pipe(socket);
    }).listen(port, "127.0.0.1");
    await expect.poll(() => server.said.stdout, { timeout: 40_000 }).toContain("setUp.token");
    door.close();
  });

  test("names a pool that Postgres has no room for, and keeps secrets out of what it prints", async () => {
    const server = await start({ LOG_LEVEL: "debug", DATABASE_POOL_MAX: "900" }, API_ONLY);
    await expect
      .poll(() => server.said.stdout)
      .toMatch(/start\.connections.*opens up to 1802 connections.*Lower DATABASE_POOL_MAX/);
    await statusOf(`${server.baseUrl}/api/health`);
    const env = serverEnvironment();
    for (const name of ["NEXTAUTH_SECRET", "KEY_PEPPER", "ENCRYPTION_KEY", "WHATSAPP_APP_SECRET", "DATABASE_URL"]) {
      expect(server.said.stdout + server.said.stderr).not.toContain(env[name]);
    }
  });
});

describe("several workers that start one after another", () => {
  test("take no connection before they are ready, so that no call is refused as too early", async () => {
    const program = await startOwnServer({ WORKERS: "3" }, API_ONLY);
    let isReady = false;
    const ready = program.says("ready on").then(() => {
      isReady = true;
    });
    const seen = new Set<number | string>();
    const lane = async () => {
      while (!isReady) {
        seen.add(await statusOf(`${program.baseUrl}/api/health`));
        await sleep(20);
      }
    };
    await Promise.all([ready, ...Array.from({ length: 4 }, lane)]);
    expect([...seen].toSorted()).toEqual([200, "refused"]);
  });

  test("are all there although one of them dies before it is ready", async () => {
    const program = await startOwnServer({ WORKERS: "2" }, API_ONLY);
    await expect.poll(() => statusOf(`${program.baseUrl}/api/health`), { interval: 5 }).toBe(200);
    // The server itself and two workers, of which the second has just been started.
    await expect.poll(() => processTree(program.pid), { interval: 1 }).toHaveLength(3);
    process.kill(processTree(program.pid)[2] ?? 0, "SIGKILL");
    await program.says("ready on");
    expect(program.said.stdout).toContain("worker.ended");
  });
});

describe("a crowd", () => {
  test("of connections that come while the process is busy waits in the kernel, and each is answered", async () => {
    const systemMost = await readFile("/proc/sys/net/core/somaxconn", "utf8").catch(() => "128");
    const count = Math.min(1_000, Number(systemMost));
    const server = await start({}, API_ONLY);
    server.signal("SIGSTOP");
    const sockets = Array.from({ length: count }, () => connect(server.port, "127.0.0.1"));
    const answers = sockets.map((socket) => once(socket, "data").then(([chunk]) => `${chunk}`.split("\r\n")[0]));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    server.signal("SIGCONT");
    for (const socket of sockets) socket.write("GET //nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 404 Not Found"]));
    for (const socket of sockets) socket.destroy();
  }, 120_000);
});

describe("SIGTERM", () => {
  test("under load: what is in flight is answered, no one new is let in, and it exits with 0 in time", async () => {
    const workspace = await provisionWorkspace();
    const server = await start({}, API_ONLY);
    const slow = 20;
    await scriptMessages(workspace, Array(slow).fill({ delayMs: 2_500 }));
    const inFlight = Array.from({ length: slow }, (_, i) => sendTo(server.baseUrl, workspace, `in-flight-${i}`));
    while ((await callsOf(workspace)).length < slow) await sleep(50);
    const signalledAtMs = performance.now();
    server.signal("SIGTERM");
    await expect.poll(() => call(`${server.baseUrl}/api/health`, {}), { timeout: 2_000 }).toBe("refused");
    expect(await sendTo(server.baseUrl, workspace, "too-late")).toBe("refused");
    expect(await Promise.all(inFlight)).toEqual(Array(slow).fill(201));
    expect(await server.exited).toBe(0);
    expect(performance.now() - signalledAtMs).toBeLessThan(10_000);
    const retried = Array.from({ length: slow }, (_, i) =>
      workspace.send(TEXT, { "Idempotency-Key": `in-flight-${i}` }),
    );
    for (const { status, body } of await Promise.all(retried))
      expect([status, body.data.status]).toEqual([200, "SENT"]);
  });

  test("answers each of 50 whole requests that wait in the kernel's queue", async () => {
    const [server, workspace] = [await start({}, API_ONLY), await provisionWorkspace()];
    server.signal("SIGSTOP");
    const { answers } = await inBacklog(server.port, workspace);
    server.signal("SIGTERM");
    server.signal("SIGCONT");
    expect(await answers).toEqual(ALL_SENT);
    expect(await server.exited).toBe(0);
  });

  test("of one of two processes, and of both, resets nothing in the queue that they share", async () => {
    const port = await freePort();
    const program = startOwnProgram(["tests/support/shared-socket.cjs"], serverEnvironment({ PORT: `${port}` }));
    await expect.poll(() => program.said.stdout.split("ready on").length, { timeout: 30_000 }).toBe(3);
    const workspace = await provisionWorkspace();
    const pids = /workers (\d+) (\d+)/.exec(program.said.stdout)?.slice(1).map(Number) ?? [];
    const [one = 0, other = 0] = pids;
    const signal = (name: NodeJS.Signals, ...to: number[]) => {
      for (const pid of to) process.kill(pid, name);
    };
    const ended = (pid: number) => expect.poll(() => program.said.stdout).toContain(`worker ${pid} ended with 0`);

    signal("SIGSTOP", one, other);
    const first = await inBacklog(port, workspace);
    signal("SIGTERM", one);
    signal("SIGCONT", one, other);
    expect(await first.answers).toEqual(ALL_SENT);
    await ended(one);
    expect(await statusOf(`http://127.0.0.1:${port}/api/health`)).toBe(200);

    signal("SIGSTOP", other);
    const second = await inBacklog(port, workspace);
    signal("SIGTERM", other);
    signal("SIGCONT", other);
    expect(await second.answers).toEqual(ALL_SENT);
    await ended(other);
  });

  // Of two that share a socket one may be reset at the very end; DRAIN_SECONDS keeps balancers from it (drain.test.ts).
  test("of two workers refuses connections while they finish, and leaves none in a queue that no one reads", async () => {
    const workspace = await provisionWorkspace();
    const server = await start({ WORKERS: "2" }, API_ONLY);
    await scriptMessages(workspace, [{ delayMs: 8_000 }]);
    const inFlight = sendTo(server.baseUrl, workspace, "in-flight");
    while ((await callsOf(workspace)).length < 1) await sleep(50);
    server.signal("SIGTERM");
    const untilRefused = async () => {
      while ((await statusOf(`${server.baseUrl}/api/health`)) !== "refused") await sleep(10);
      return "refused";
    };
    expect(await Promise.race([untilRefused(), inFlight])).toBe("refused");
    expect(await inFlight).toBe(201);
    expect(await server.exited).toBe(0);
  });

  test("or SIGINT while idle, with a kept connection open: at once", async () => {
    const server = await start({}, API_ONLY);
    const agent = new Agent({ keepAlive: true });
    expect(await call(`${server.baseUrl}/api/health`, { agent })).toBe(200);
    const signalledAtMs = performance.now();
    server.signal("SIGINT");
    expect(await server.exited).toBe(0);
    expect(performance.now() - signalledAtMs).toBeLessThan(10_000);
    agent.destroy();
  });
});

const WAITING = 50;
const ALL_SENT = Array(WAITING).fill("HTTP/1.1 201 Created");

/** Whole sends that a stopped server has not taken in; `answers` are their first lines, or why there is none. */
async function inBacklog(port: number, { apiKey, apiSecret, clientAddress }: TestWorkspace) {
  const content = JSON.stringify(TEXT);
  const headers = { apiKey, apiSecret, "X-Forwarded-For": clientAddress, "Content-Length": `${content.length}` };
  const waiting = Array.from({ length: WAITING }, async () => {
    const socket = connect(port, "127.0.0.1");
    const answer = new Promise<string>((resolve) => {
      socket.once("data", (chunk) => resolve(`${chunk}`.split("\r\n")[0] ?? ""));
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
      socket.once("close", () => resolve("closed"));
    });
    await once(socket, "connect");
    await new Promise((done) => socket.write(`${head("POST /api/v1/public/messages/send", headers)}${content}`, done));
    return { answer: answer.finally(() => socket.destroy()) };
  });
  const sent = await Promise.all(waiting);
  return { answers: Promise.all(sent.map(({ answer }) => answer)) };
}

describe("npm run db:migrate", () => {
  test("twice at once on an empty database, and again later: each succeeds, and the server starts", async () => {
    const { url } = await newDatabase(false);
    const migrate = () => runProgram(MIGRATE, { ...PATH, DATABASE_URL: url });
    for (const { exitCode, stdout, stderr } of [...(await Promise.all([migrate(), migrate()])), await migrate()]) {
      expect([exitCode, stdout, stderr]).toEqual([0, "", "The database's schema is up to date.\n"]);
    }
    const server = await start({ DATABASE_URL: url }, API_ONLY);
    expect(await statusOf(`${server.baseUrl}/api/health`)).toBe(200);
  });

  test("in another program's database it says so, and changes nothing", async () => {
    const { url } = await newDatabase(false);
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql`create table users (id int)`;
    const finished = await runProgram(MIGRATE, { ...PATH, DATABASE_URL: url });
    expect([finished.exitCode, finished.stdout, finished.stderr]).toEqual([
      1,
      "",
      'The schema is not up to date. The database holds tables of another program (relation "users" already exists). Use an empty one.\n',
    ]);
    expect(await sql`select from pg_tables where schemaname = 'public'`).toHaveLength(1);
    await sql.end();
  });

  test.each<[string, string | undefined, number, RegExp]>([
    ["without DATABASE_URL", undefined, 2, /^DATABASE_URL is required\. It looks like postgres:\/\/.+\n\nUsage: /],
    [
      "where nothing listens",
      "postgres://u:p@127.0.0.1:1/x",
      1,
      /^The schema is not up to date\. The database does not answer \(ECONNREFUSED\)\. .+\n$/,
    ],
    [
      "with a value that is not an address",
      "localhost",
      2,
      /^DATABASE_URL is not a postgres:\/\/ address\. It looks like .+\n\nUsage: /,
    ],
  ])("%s it says what to do", async (_, url, exitCode, sentence) => {
    const finished = await runProgram(MIGRATE, { ...PATH, DATABASE_URL: url });
    expect([finished.exitCode, finished.stdout]).toEqual([exitCode, ""]);
    expect(finished.stderr).toMatch(sentence);
  });
});

/** Over a connection of its own, so that a refused one is seen as such. */
const call = (url: string, options: object, content?: string): Promise<number | string> =>
  new Promise((resolve) => {
    request(url, { agent: false, ...options }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    })
      .on("error", (error: NodeJS.ErrnoException) =>
        resolve(error.code === "ECONNREFUSED" ? "refused" : `${error.code}`),
      )
      .end(content);
  });

const statusOf = (url: string) => call(url, {});

function sendTo(
  baseUrl: string,
  { apiKey, apiSecret, clientAddress }: { apiKey: string; apiSecret: string; clientAddress: string },
  idempotencyKey: string,
) {
  const headers = { apiKey, apiSecret, "x-forwarded-for": clientAddress, "idempotency-key": idempotencyKey };
  return call(`${baseUrl}/api/v1/public/messages/send`, { method: "POST", headers }, JSON.stringify(TEXT));
}
