import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startInstance } from "../../support/environment";
import { processTree } from "../../support/process-tree";
import { expectSent, KEY, PHONE, TEXT } from "../../support/sends";
import { sweep } from "../../support/sweep";
import { type Answer, provisionWorkspace, report, request, type TestWorkspace } from "../../support/workspace";

const METRICS_TOKEN = "metrics-token-of-this-test";

let instance: Awaited<ReturnType<typeof startInstance>>;
let workspace: TestWorkspace;
beforeAll(async () => {
  [instance, workspace] = await Promise.all([startInstance({ METRICS_TOKEN, WORKERS: "2" }), provisionWorkspace()]);
});
afterAll(() => instance.stop());

const scrape = (token = METRICS_TOKEN): Promise<Answer> =>
  request("GET", `${instance.baseUrl}/api/metrics`, { headers: { authorization: `Bearer ${token}` } });

/** The sum of a metric over all processes, of the series that hold each of `labels`. */
const sumOf = (text: string, name: string, ...labels: string[]): number =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);

/** Over a connection of its own, so that both workers are asked in time. */
const send = (body: object, headers: Record<string, string> = {}) =>
  workspace.at(instance.baseUrl).send(body, { Connection: "close", ...headers });

describe("200", () => {
  test("counts the calls of every worker and the pages by endpoint, status, outcome and code, in Prometheus' format", async () => {
    const before = (await scrape()).text;
    for (const answer of await Promise.all(Array.from({ length: 12 }, () => send(TEXT)))) expectSent(answer);
    await send(TEXT, KEY);
    expect((await send(TEXT, KEY)).status).toBe(200);
    expect((await send({ type: "text" })).status).toBe(400);
    await request("GET", `${instance.baseUrl}/sign-in`);
    const { status, headers, text } = await scrape();
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const grown = (name: string, ...labels: string[]) => sumOf(text, name, ...labels) - sumOf(before, name, ...labels);
    expect(grown("switchboard_sends_total", 'outcome="SENT"')).toBe(13);
    expect(grown("switchboard_sends_total", 'outcome="replay"')).toBe(1);
    expect(grown("switchboard_refusals_total", 'endpoint="send"', 'code="VALIDATION_ERROR"')).toBe(1);
    expect(grown("switchboard_call_seconds_count", 'endpoint="send"', 'status="201"')).toBe(13);
    expect(grown("switchboard_whatsapp_seconds_count", 'status="200"')).toBe(13);
    expect(grown("switchboard_edge_seconds_count")).toBe(15);
    expect(grown("switchboard_limit_checks_total", 'result="allowed"')).toBeGreaterThanOrEqual(15);
    expect(grown("switchboard_database_seconds_count", 'outcome="ok"')).toBeGreaterThan(30);
    expect(new Set([...text.matchAll(/process="([^"]+)"/g)].map(([, name]) => name))).toEqual(
      new Set(["api-1", "api-2", "pages"]),
    );
    for (const name of ["nodejs_eventloop_lag_p99_seconds", "process_resident_memory_bytes", "switchboard_pool_work"])
      expect(text).toContain(`${name}{`);
  });

  test("says what is open, due and late in the whole deployment, and whether its database answers", async () => {
    expect((await sweep()).status).toBe(200);
    const { text } = await scrape();
    for (const name of [
      "switchboard_database_up",
      "switchboard_deliveries_pending",
      "switchboard_deliveries_oldest_due_seconds",
      "switchboard_sweep_age_seconds",
    ])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, "m"));
    expect(text).toMatch(/^switchboard_database_up 1$/m);
  });

  test("passes the rules of `promtool check metrics`, also of what others named", async () => {
    const { text } = await scrape();
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
    expect(families.length).toBeGreaterThan(30);
    const faults = families.filter(
      ({ name, type }) =>
        !new RegExp(`^# HELP ${name} \\S`, "m").test(text) ||
        (type === "counter") !== name.endsWith("_total") ||
        /_(count|sum|bucket)$/.test(name) ||
        /_(counter|gauge|histogram|summary)(_|$)/.test(name) ||
        /[A-Z:]|(_|^)(ms|secs?|mins|minutes|hours|days|milliseconds|kb|mb|kilobytes|percent|bits)(_|$)/.test(name),
    );
    expect(faults).toEqual([]);
    expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
  });

  test("a worker that takes the place of a killed one goes on with its series, and the pages are missed while they are away", async () => {
    const startOf = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/^process_start_time_seconds\{process="([^"]+)"\} (\d+)/gm)].map(([, name, at]) => [
          name,
          at,
        ]),
      );
    const before = (await scrape()).text;
    const processes = ["api-1", "api-2", "pages"];
    expect(Object.keys(startOf(before)).toSorted()).toEqual(processes);
    expect(before).toMatch(/^switchboard_pages_up 1$/m);
    expect(before).toMatch(/^switchboard_workers 2$/m);
    const children = processTree(instance.pid).slice(1);
    for (const pid of children.slice(1)) process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await scrape()).text, { timeout: 10_000 }).toMatch(/^switchboard_pages_up 0$/m);
    await expect
      .poll(
        async () => {
          const text = await scrape().then(
            (answer) => answer.text,
            () => "",
          );
          const now = startOf(text);
          return [
            Object.keys(now).toSorted(),
            now["api-2"] !== startOf(before)["api-2"],
            /^switchboard_pages_up 1$/m.test(text),
          ];
        },
        { timeout: 30_000 },
      )
      .toEqual([processes, true, true]);
  });

  test("holds no id, key or number", async () => {
    const { id, chatMessageId } = (await send(TEXT)).body.data;
    await report(workspace, { id: chatMessageId ?? "", status: "read" });
    const { text } = await scrape();
    const { workspaceId, apiKey, apiSecret, whatsappPhoneNumberId } = workspace;
    for (const word of [workspaceId, apiKey, apiSecret, PHONE, id, whatsappPhoneNumberId])
      expect(text).not.toContain(word);
    expect(text.split("\n").length).toBeLessThan(3_000);
  });
});

describe("404", () => {
  test.each(["", "wrong", `${METRICS_TOKEN}x`])("for the token %j", async (token) => {
    const { status, body } = await scrape(token);
    expect([status, body.error]).toEqual([404, "NOT_FOUND"]);
  });

  test("without METRICS_TOKEN in the environment, whatever is sent", async () => {
    const { status } = await request("GET", `${workspace.baseUrl}/api/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(status).toBe(404);
  });
});
