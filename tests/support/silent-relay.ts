import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "./loopback";

/** A relay to the host of a URL that can lose what is sent without a word, as a network does. */
export const startSilentRelay = async (target: string) => {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    if (!isCut) client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
  });
  const loopback = await listenOnLoopback(server);
  const url = new URL(target);
  url.host = `127.0.0.1:${loopback.port}`;
  /** What a client sends on an open connection from now on is lost; new connections work. */
  const forget = () => {
    for (const [client, upstream] of pairs) {
      client.unpipe(upstream);
      upstream.unpipe(client);
      client.resume();
      upstream.resume();
    }
    pairs.clear();
  };
  return {
    url: url.href,
    forget,
    /** Loses what new connections send, too, until `reconnect` is called. */
    cut: () => {
      isCut = true;
      forget();
    },
    reconnect: () => {
      isCut = false;
    },
    stop: loopback.close,
  };
};
