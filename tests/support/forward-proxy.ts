import { createServer } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listenOnLoopback } from "./loopback";

/** A forward proxy that knows every name of `.test` as this machine; `asked` holds the `host:port` of each tunnel. */
export const startForwardProxy = async () => {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  let refuses = false;
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, client) => {
    const target = request.url ?? "";
    asked.push(target);
    if (refuses) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const upstream = connect(Number(target.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    open.add(client);
    const end = () => {
      for (const one of [client, upstream]) one.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    asked,
    /** Ends its tunnels, and opens none until `refuse(false)`. */
    refuse: (isRefusing: boolean) => {
      refuses = isRefusing;
      for (const socket of isRefusing ? open : []) socket.destroy();
    },
    stop: close,
  };
};
