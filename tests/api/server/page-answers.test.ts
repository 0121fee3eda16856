import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { SERVER } from "../../../scripts/server-process.mjs";
import { type Program, serverEnvironment, startProgram } from "../../support/programs";
import { request } from "../../support/workspace";

/** What a page process does with a request for the page of that name. */
const BEHAVIOURS: Record<string, (socket: Socket) => unknown> = {
  switches: (socket) => socket.write("HTTP/1.1 101 Switch\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
  "closes-at-once": (socket) => socket.destroy(),
  "half-closes": (socket) => socket.end(),
  "closes-in-its-headers": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-ty"),
  "says-nothing": () => undefined,
  "103-without-end": (socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 500);
    socket.on("close", () => clearInterval(timer));
  },
  "closes-in-its-body": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun"),
  "stops-in-its-body": (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun"),
};

const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-answers-"));
const pages = createServer({ allowHalfOpen: true }, (socket) => {
  socket
    .on("error", () => undefined)
    .on("data", (chunk) => {
      const [, name = ""] = /^GET \/docs\/(\S+) /.exec(`${chunk}`) ?? [];
      BEHAVIOURS[name]?.(socket);
    });
});

let server: Program;
let baseUrl: string;
beforeAll(async () => {
  const socketPath = path.join(folder, "pages");
  pages.listen(socketPath);
  await once(pages, "listening");
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  server = startProgram([...SERVER, "--pages", socketPath], serverEnvironment({ PORT: `${port}` }));
  const health = () =>
    request("GET", `${baseUrl}/api/health`).then(
      ({ status }) => status,
      () => 0,
    );
  await vi.waitFor(async () => expect(await health()).toBe(200), { timeout: 60_000, interval: 50 });
});
afterAll(async () => {
  server.signal("SIGKILL");
  await server.exited;
  pages.close();
  rmSync(folder, { recursive: true });
});

// At once, because several wait for the whole deadline.
describe.concurrent("a request for a page comes to an end, where the page process", { timeout: 120_000 }, () => {
  test.each(["switches", "closes-at-once", "half-closes", "closes-in-its-headers", "says-nothing", "103-without-end"])(
    "%s: 503",
    async (name) => {
      const { status, body } = await request("GET", `${baseUrl}/docs/${name}`);
      expect([status, body.error]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    },
  );

  test.each(["closes-in-its-body", "stops-in-its-body"])("%s: a response that is cut", async (name) => {
    await expect(request("GET", `${baseUrl}/docs/${name}`)).rejects.toThrow();
  });
});
