import { connect, createServer, type Socket } from "node:net";

/** A relay to a Postgres that can forget its connections without a word, as a network does with those it saw idle. */
export const startSilentRelay = async (databaseUrl: string) => {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    url: url.href,
    /** What a client sends on an open connection from now on is lost; new connections work. */
    forget: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.resume();
        upstream.resume();
      }
      pairs.clear();
    },
    stop: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
};
