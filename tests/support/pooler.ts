import { connect, createServer } from "node:net";
import { listenOnLoopback } from "./loopback";
import { errorResponse, messageReader } from "./postgres-messages";

/** What happens to a setting that a connection asks for at its start. PgBouncer refuses it, or is configured to drop it. */
export type Treatment = "refuses" | "drops" | "passes";

const PARSE = "P".charCodeAt(0);
const WORDS = "unsupported startup parameter: statement_timeout";
const REFUSAL = errorResponse({ S: "FATAL", V: "FATAL", C: "08P01", M: WORDS });

/**
 * A pooler's door before the Postgres of `databaseUrl`, or a door without a pooler. It notes the names of the statements
 * that are to be kept on a connection: a pooler that shares its connections would lose them.
 */
export const startPooler = async (databaseUrl: string, treatment: Treatment) => {
  const { hostname, port } = new URL(databaseUrl);
  const kept = new Set<string>();
  let refused = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      socket.on("error", () => {}).on("close", () => [client, upstream].forEach((each) => void each.destroy()));
    }
    upstream.pipe(client);
    const read = messageReader();
    client.on("data", (chunk: Buffer) => {
      for (const { type, bytes } of read(chunk)) {
        if (type === undefined && treatment === "refuses" && bytes.includes("statement_timeout")) {
          refused += 1;
          return void client.end(REFUSAL);
        }
        if (type === PARSE) kept.add(bytes.toString("latin1", 5, bytes.indexOf(0, 5)));
        upstream.write(type === undefined && treatment === "drops" ? withoutTimeLimits(bytes) : bytes);
      }
    });
  });
  const { port: ownPort, close } = await listenOnLoopback(server);
  const url = new URL(databaseUrl);
  url.port = String(ownPort);
  return {
    url: url.href,
    refusedCount: () => refused,
    keptStatements: () => [...kept].filter((name) => name !== ""),
    stop: close,
  };
};

const withoutTimeLimits = (startup: Buffer): Buffer => {
  const words = startup.toString("latin1", 8).split("\0");
  const kept: string[] = [];
  for (let i = 0; words[i]; i += 2) {
    if (!words[i]?.endsWith("_timeout")) kept.push(words[i] ?? "", words[i + 1] ?? "");
  }
  const body = Buffer.from(`${kept.join("\0")}\0\0`, "latin1");
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeInt32BE(8 + body.length);
  return Buffer.concat([head, body]);
};
