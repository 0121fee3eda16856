import { describe, expect, test } from "vitest";
import { startInstance, testServers } from "../../support/environment";
import { startPooler, type Treatment } from "../../support/pooler";
import { PHONE } from "../../support/sends";
import { provisionWorkspace, request } from "../../support/workspace";

const TEXT = JSON.stringify({ type: "text", phone: PHONE, content: "Hello" });

/** A server that comes up behind the door, and answers a crowd before anything else. */
async function workBehind(treatment: Treatment) {
  const { apiKey, apiSecret, clientAddress } = await provisionWorkspace();
  const door = await startPooler(testServers().environment.DATABASE_URL ?? "", treatment);
  const instance = await startInstance({ DATABASE_URL: door.url }, "API");
  const headers = { apiKey, apiSecret, "Content-Type": "application/json", "X-Forwarded-For": clientAddress };
  const call = (method: string, path: string, body?: string) =>
    request(method, `${instance.baseUrl}/api/v1/public${path}`, { headers, ...(body ? { body } : {}) });
  try {
    const sends = await Promise.all(Array.from({ length: 20 }, () => call("POST", "/messages/send", TEXT)));
    const looks = await Promise.all(sends.map(({ body }) => call("GET", `/messages/${body.data?.id}`)));
    const statuses = [...sends, ...looks].map(({ status }) => status);
    return { statuses: new Set(statuses), refused: door.refusedCount(), kept: door.keptStatements() };
  } finally {
    await instance.stop();
    await door.stop();
  }
}

describe("200 and 201", () => {
  test("for every call behind a pooler that refuses what a connection asks for, which it is asked once", async () => {
    const { statuses, refused, kept } = await workBehind("refuses");
    expect([...statuses]).toEqual([201, 200]);
    expect(refused).toBe(1);
    expect(kept).toEqual([]);
  });

  test("for every call behind a pooler that drops it, with no statement kept on a connection that others use", async () => {
    const { statuses, kept } = await workBehind("drops");
    expect([...statuses]).toEqual([201, 200]);
    expect(kept).toEqual([]);
  });

  test("without a pooler, with statements that are prepared once", async () => {
    const { statuses, refused, kept } = await workBehind("passes");
    expect([...statuses]).toEqual([201, 200]);
    expect(refused).toBe(0);
    expect(kept.length).toBeGreaterThan(0);
  });
});
