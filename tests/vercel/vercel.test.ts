import { expect, test } from "vitest";
import { testServers } from "../support/environment";
import { request } from "../support/workspace";

test("files, pages, rewritten addresses and unknown ones are served as by our own server", async () => {
  const { baseUrl } = testServers();
  const statusOf = async (path: string) => (await request("GET", `${baseUrl}${path}`)).status;
  expect((await request("GET", `${baseUrl}/docs`)).text).toContain("<title>");
  expect((await request("GET", `${baseUrl}/docs/errors.md`)).text).toMatch(/^# /);
  for (const path of ["/favicon.ico", "/og.png", "/openapi.json", "/llms.txt", "/sign-in"]) {
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  }
  for (const path of ["/nothing", "/api/nothing", "/_next/static/nothing.js"]) {
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  }
  expect(await statusOf("/dashboard")).toBe(307);
});

test("a broken percent-encoding is a 400 of ours, of the API and of pages", async () => {
  for (const path of ["/api/v1/public/messages/", "/api/", "/docs/", "/dashboard/messages/"]) {
    const answer = await request("GET", `${testServers().baseUrl}${path}%E0%A4%A`);
    expect([path, answer.status, answer.body.error]).toEqual([path, 400, "VALIDATION_ERROR"]);
  }
});

test("a sweep by the scheduler is seen in the health", async () => {
  const { baseUrl, environment } = testServers();
  const headers = { Authorization: `Bearer ${environment.CRON_SECRET}` };
  expect((await request("GET", `${baseUrl}/api/cron/sweep`, { headers })).status).toBe(200);
  const ready = await request("GET", `${baseUrl}/api/health/ready`);
  expect(ready.body).toMatchObject({ status: "ready", schema: "ok", lastSweepSeconds: expect.any(Number) });
});
