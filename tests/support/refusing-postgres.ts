import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "./loopback";
import { type ClientMessage, errorResponse, messageReader } from "./postgres-messages";

/** `start`: new connections are refused and the open ones cut. `statement`: each statement fails on a connection that stays. */
export type Refusal = { at: "start" | "statement"; severity: "ERROR" | "FATAL" | "PANIC"; code: string };

const SYNC = "S".charCodeAt(0);
const SIMPLE_QUERY = "Q".charCodeAt(0);
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A door before the Postgres of `databaseUrl` that refuses on demand, in the words of Postgres. */
export const startRefusingPostgres = async (databaseUrl: string) => {
  const { hostname, port } = new URL(databaseUrl);
  const links = new Set<{ client: Socket; upstream: Socket }>();
  let refusal: Refusal | undefined;
  const errorOf = ({ severity, code }: Refusal) =>
    errorResponse({ S: severity, V: severity, C: code, M: "refused by the test" });

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const link = { client, upstream };
    links.add(link);
    for (const socket of [client, upstream]) {
      socket
        .on("error", () => {})
        .on("close", () => {
          links.delete(link);
          for (const each of [client, upstream]) each.destroy();
        });
    }
    upstream.pipe(client);
    const read = messageReader();
    let hasFailed = false;
    const take = (message: ClientMessage) => {
      const { type, bytes } = message;
      const isStart = type === undefined;
      if (!refusal || (isStart && refusal.at === "statement")) return void upstream.write(bytes);
      if (isStart || refusal.severity !== "ERROR") return void client.end(errorOf(refusal));
      if (!hasFailed && type !== SYNC) client.write(errorOf(refusal));
      hasFailed = type !== SYNC && type !== SIMPLE_QUERY;
      if (!hasFailed) client.write(READY_FOR_QUERY);
    };
    client.on("data", (chunk: Buffer) => read(chunk).forEach(take));
  });
  const { port: ownPort, close } = await listenOnLoopback(server);
  const url = new URL(databaseUrl);
  url.port = String(ownPort);
  const cut = () => {
    for (const { client } of links) client.resetAndDestroy();
  };
  return {
    url: url.href,
    refuse: (next: Refusal) => {
      refusal = next;
      if (next.at === "start") cut();
    },
    heal: () => {
      refusal = undefined;
    },
    stop: close,
  };
};
