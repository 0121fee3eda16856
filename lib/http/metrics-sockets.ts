import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Deadline } from "@/lib/core/deadline";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { ownMetrics, startMetrics } from "@/lib/core/telemetry";

const ANSWER_WITHIN_MS = 1_000;

/**
 * Collects this process's metrics and offers them to the others of this server, whose socket for pages is in the same
 * private folder. A no-op without a METRICS_TOKEN. `processName` is that of its place, "api", "api-2" or "pages", not of the
 * process: one that is restarted goes on with the series of the one before.
 */
export async function shareMetrics(processName: string, pagesSocket: string): Promise<void> {
  if (!env().METRICS_TOKEN) return;
  await startMetrics(processName);
  // Named pipes are in no folder: on Windows each process answers for itself.
  if (process.platform !== "win32") offerMetrics(path.join(placeOf(path.dirname(pagesSocket)), processName));
}

function offerMetrics(socket: string): void {
  const server = createServer((_, response) => {
    ownMetrics().then(
      (metrics) => response.end(JSON.stringify(metrics ?? [])),
      () => response.destroy(),
    );
  });
  server.on("error", (error) => log("warn", "metrics.not-offered", errorFields(error)));
  mkdirSync(path.dirname(socket), { recursive: true });
  rmSync(socket, { force: true });
  server.listen(socket).unref();
}

/** Returns the metrics of every process of the server that has this socket for pages, and responds within 1 s. */
export async function gatherMetrics(pagesSocket: string): Promise<unknown[][]> {
  const place = placeOf(path.dirname(pagesSocket));
  const asked = readdirSync(place).map((name) => ask(path.join(place, name)).catch(() => undefined));
  return (await Promise.all(asked)).filter((metrics) => metrics !== undefined);
}

const placeOf = (folder: string) => path.join(folder, "metrics");

function ask(socketPath: string): Promise<unknown[]> {
  const answer = new Promise<unknown[]>((resolve, reject) => {
    const asked = request({ socketPath, path: "/", signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    asked.on("error", reject);
    asked.on("response", (response) =>
      text(response)
        .then((body) => resolve(JSON.parse(body)))
        .catch(reject),
    );
    asked.end();
  });
  // Not the signal alone: for an answer with 101, Node emits neither a response nor an error.
  return Deadline.in(ANSWER_WITHIN_MS).bound(answer, () => new Error("no answer"));
}
