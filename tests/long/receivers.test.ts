import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { newFolder, removeFolders, run } from "../support/client-package";
import { PYTHON, PYTHON_SOURCE, pythonTitle } from "../support/python";
import {
  expectReceiver,
  receiverDatabase,
  receiverProject,
  shownReceiver,
  sqliteTables,
  startShownReceiver,
} from "../support/webhook-receivers";
import { deliveryOf } from "../support/webhook-vectors";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(removeFolders);

// Not by tsx's own program: that starts another one, which would live on after this one is killed.
const BY_TSX = [process.execPath, "--import", pathToFileURL("node_modules/tsx/dist/loader.mjs").href];
const COMPILER = path.resolve("node_modules/typescript/bin/tsc");

describe("the receiver of the docs in TypeScript", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await receiverProject();
    writeFileSync(path.join(folder, "next.ts"), NEXT);
  });

  test("passes a strict compiler, as does every framework's part", async () => {
    const options = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
    const module = ["--target", "es2022", "--module", "nodenext", "--types", "node"];
    await run(folder, [process.execPath, COMPILER, ...options, ...module, "express.ts", "hono.ts"]);
    // A bundler finds files without their ending.
    const bundled = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", "node"];
    await run(folder, [process.execPath, COMPILER, ...options, ...bundled, "app/webhooks/route.ts"]);
  });

  test.each(["express.ts", "hono.ts", "next.ts"])("stores each delivery once, with its effect: %s", async (file) => {
    const { url: DATABASE_URL, ...tables } = await receiverDatabase();
    const url = await startShownReceiver(() => [...BY_TSX, file], folder, { DATABASE_URL });
    await expectReceiver(url, tables);
  });

  test("fails where it has no secret, so that the delivery is tried again", async () => {
    const { url: DATABASE_URL } = await receiverDatabase();
    const env = { DATABASE_URL, WEBHOOK_SECRET: undefined };
    const url = await startShownReceiver(() => [...BY_TSX, "express.ts"], folder, env);
    expect((await fetch(url, { method: "POST", ...deliveryOf("evt_1", {}) })).status).toBe(500);
  });
});

/** The route of Next.js is a function of a `Request`; `npm test -- runtimes` runs it in Next.js itself, which takes its time. */
const NEXT = `import { serve } from "@hono/node-server";
import { POST } from "./app/webhooks/route";
serve({ fetch: POST, port: Number(process.env.PORT) });
`;

describe.skipIf(!PYTHON)(pythonTitle("the receiver of the docs in Python"), () => {
  // FastAPI and Flask are on no registry that a test may rely on: `npm test -- runtimes` runs their parts. This one calls
  // the shared part from the standard library's own server.
  const SERVER = `import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from receive import receive
class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        try: status = receive(body, self.headers)
        except Exception: status = 500
        self.send_response(status)
        self.end_headers()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Webhooks).serve_forever()
`;

  test("stores each delivery once, with its effect", async () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "receive.py"), shownReceiver("A receiver", "python"));
    writeFileSync(path.join(folder, "server.py"), SERVER);
    const env = { PYTHONPATH: PYTHON_SOURCE };
    const url = await startShownReceiver(() => [PYTHON ?? "", "server.py"], folder, env);
    await expectReceiver(url, sqliteTables(folder));
  });
});
