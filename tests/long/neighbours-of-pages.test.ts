import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startInstance } from "../support/environment";
import { freshAddress } from "../support/limits";
import { processTree } from "../support/process-tree";
import { PYTHON, pythonTitle } from "../support/python";
import { head, rawRequest } from "../support/raw-http";
import { sql } from "../support/rows";
import { signIn } from "../support/session";
import { openSilentReaders, type SilentReaders } from "../support/silent-readers";
import { provisionWorkspace, request } from "../support/workspace";

let instance: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  instance = await startInstance({});
  // Rendered once, so that it costs the tests nothing.
  await page("/docs", freshAddress());
});
afterAll(() => instance.stop());

const page = (path: string, address: string) =>
  request("GET", `${instance.baseUrl}${path}`, { headers: { accept: "text/html", "x-forwarded-for": address } });

const healthText = async () => (await request("GET", `${instance.baseUrl}/api/health`)).text;

/** Stops the page process while `work` runs, so that whatever it is asked for waits. */
const whilePagesStand = async <T>(work: () => Promise<T>): Promise<T> => {
  const pages = processTree(instance.pid)[1] ?? expect.fail("there is no page process");
  process.kill(pages, "SIGSTOP");
  try {
    return await work();
  } finally {
    process.kill(pages, "SIGCONT");
  }
};

/** Asks for a page and resets the connection, late enough that the request is read. */
const askAndLeave = async (path: string, address: string): Promise<void> => {
  const socket = connect(Number(new URL(instance.baseUrl).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(head(`GET ${path}`, { "X-Forwarded-For": address }));
  await sleep(50);
  socket.resetAndDestroy();
};

describe.skipIf(!PYTHON)("clients that read nothing", () => {
  test(pythonTitle("520 of them keep no page away, from their own address either, and health says so"), async () => {
    const address = freshAddress();
    const readers = await openSilentReaders(instance.baseUrl, { count: 520, path: "/openapi.json", address });
    // On a connection behind theirs, so that they have been taken in.
    await rawRequest(instance.baseUrl, head("GET /api/health"));
    await expect.poll(async () => (await page("/docs", address)).status, { timeout: 20_000 }).toBe(200);
    for (const path of ["/docs", "/sign-in", "/dashboard"]) {
      expect([path, (await page(path, address)).status]).not.toEqual([path, 503]);
      expect([path, (await page(path, freshAddress())).status]).not.toEqual([path, 503]);
    }
    expect(await healthText()).toContain('"pages":"ok"');
    readers.leave();
  });

  test(pythonTitle("beyond 64 MiB of unread answers the address with most of them is cut, and no other"), async () => {
    const path = "/docs/reference";
    const [address, ofFew] = [freshAddress(), freshAddress()];
    const few = await openSilentReaders(instance.baseUrl, { count: 4, path, address: ofFew });
    const many: SilentReaders[] = [];
    // Half a megabyte each, and not more at once than are served within the time for a place.
    for (let batch = 0; batch < 8; batch++) {
      many.push(await openSilentReaders(instance.baseUrl, { count: 25, path, address }));
      expect((await page("/docs", address)).status).toBe(200);
    }
    const cut = async () => (await Promise.all(many.map((readers) => readers.cut()))).reduce((sum, one) => sum + one);
    await expect.poll(cut, { timeout: 10_000 }).toBeGreaterThanOrEqual(40);
    expect(await few.cut()).toBe(0);
    for (const readers of many) readers.leave();
    few.leave();
  });
});

describe("a slow reader", () => {
  test("of an export of 12 MB at 600 KB a second gets all of it", async () => {
    const workspace = await provisionWorkspace();
    await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
    await sql`
        insert into messages (workspace_id, id, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
          phase, status, failure_reason, lease_expires_at, created_at)
        select workspace_id, id || n, mode, phone_number_id, contact_id, phone, type, request, fingerprint,
          phase, status, repeat('x', 1000), now(), created_at
        from messages, generate_series(1, 12000) n where workspace_id = ${workspace.workspaceId}`;
    const cookie = await signIn(workspace.owner);
    const socket = connect(Number(new URL(instance.baseUrl).port), "127.0.0.1");
    const path = `/api/v1/workspaces/${workspace.workspaceId}/messages/export?mode=live`;
    socket.write(head(`GET ${path}`, { Cookie: cookie, Connection: "close", "X-Forwarded-For": freshAddress() }));
    let bytes = 0;
    let tail = "";
    for await (const chunk of socket) {
      bytes += chunk.length;
      tail = `${tail}${chunk.toString("latin1")}`.slice(-7);
      await sleep(chunk.length / 600);
    }
    expect(bytes).toBeGreaterThan(12_000 * 1_000);
    expect(tail).toBe("\r\n0\r\n\r\n");
  });
});

describe("many requests of one address", () => {
  test("go behind the first of another, however many came before", async () => {
    const [many, other] = [freshAddress(), freshAddress()];
    const order: string[] = [];
    const ask = async (address: string, name: string) => {
      await page("/no-such-page", address);
      order.push(name);
    };
    const answers = await whilePagesStand(async () => {
      const asked = Array.from({ length: 300 }, () => ask(many, "many"));
      await sleep(500);
      asked.push(ask(other, "other"));
      await sleep(200);
      return asked;
    });
    await Promise.all(answers);
    expect(order.indexOf("other")).toBeLessThan(100);
  });

  test("whose clients have left are not worked off, and none is called a restart", async () => {
    const { status, text } = await whilePagesStand(async () => {
      const address = freshAddress();
      for (let round = 0; round < 12; round++) {
        await Promise.all(Array.from({ length: 100 }, () => askAndLeave("/no-such-page", address)));
      }
      const asked = page("/docs", freshAddress());
      await sleep(300);
      return { asked };
    }).then(({ asked }) => asked);
    expect(status, text).toBe(200);
  });

  test("that wait in vain are refused as too many, and health says that the pages are busy", async () => {
    const refused = await whilePagesStand(async () => {
      const address = freshAddress();
      const asked = Array.from({ length: 450 }, () => page("/docs", address));
      const first = await Promise.race(asked);
      await expect.poll(healthText, { timeout: 5_000 }).toContain('"pages":"busy"');
      return { first, asked };
    });
    expect(refused.first.status).toBe(503);
    expect(refused.first.text).toContain("Too many pages are asked for at once.");
    await Promise.all(refused.asked);
    await expect.poll(healthText, { timeout: 20_000 }).toContain('"pages":"ok"');
  });
});
