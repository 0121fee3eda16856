import { createServer, type Server } from "node:net";

export type Canaries = {
  /** `host:port` of every listener. */
  places: string[];
  /** Who connected, by the listener that saw it. */
  heard: string[];
  stop: () => Promise<void>;
};

/** Listeners that must never be connected to; a place that this machine cannot give is left out. */
export const startCanaries = async (wanted: readonly (readonly [host: string, port: number])[]): Promise<Canaries> => {
  const servers: Server[] = [];
  const places: string[] = [];
  const heard: string[] = [];
  for (const [host, port] of wanted) {
    const server = createServer((socket) => {
      heard.push(place(server, host));
      socket.destroy();
    });
    const isListening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen({ host, port, ipv6Only: host.includes(":") }, () => resolve(true));
    });
    if (!isListening) continue;
    servers.push(server);
    places.push(place(server, host));
  }
  return {
    places,
    heard,
    stop: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
};

const place = (server: Server, host: string) => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
};
