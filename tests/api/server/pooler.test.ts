import { describe, expect, test } from "vitest";
import { startInstance, testServers } from "../../support/environment";
import { startPooler, type Treatment } from "../../support/pooler";
import { TEXT } from "../../support/sends";
import { provisionWorkspace } from "../../support/workspace";

/** A server that comes up behind the door, and answers a crowd before anything else. */
async function workBehind(treatment: Treatment) {
  const workspace = await provisionWorkspace();
  const door = await startPooler(testServers().environment.DATABASE_URL ?? "", treatment);
  const instance = await startInstance({ DATABASE_URL: door.url }, "API");
  const { send, status } = workspace.at(instance.baseUrl);
  try {
    const sends = await Promise.all(Array.from({ length: 20 }, () => send(TEXT)));
    const looks = await Promise.all(sends.map(({ body }) => status(body.data?.id)));
    const statuses = [...sends, ...looks].map((answer) => answer.status);
    expect([...new Set(statuses)]).toEqual([201, 200]);
    return { refused: door.refusedCount(), kept: door.keptStatements() };
  } finally {
    await instance.stop();
    await door.stop();
  }
}

describe("200 and 201", () => {
  test("for every call behind a pooler that refuses what a connection asks for, which it is asked once", async () => {
    const { refused, kept } = await workBehind("refuses");
    expect(refused).toBe(1);
    expect(kept).toEqual([]);
  });

  test("for every call behind a pooler that drops it, with no statement kept on a connection that others use", async () => {
    const { kept } = await workBehind("drops");
    expect(kept).toEqual([]);
  });

  test("without a pooler, with statements that are prepared once", async () => {
    const { refused, kept } = await workBehind("passes");
    expect(refused).toBe(0);
    expect(kept.length).toBeGreaterThan(0);
  });
});
