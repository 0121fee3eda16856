import type { Server, Socket } from "node:net";

export type Loopback = { url: string; port: number; close: () => Promise<void> };

/** Lets a stand-in listen on a port of this machine, a free one unless it is given; `close` cuts what is still open. */
export const listenOnLoopback = async (server: Server, wanted = 0): Promise<Loopback> => {
  const open = new Set<Socket>();
  server.on("connection", (socket) => open.add(socket.once("close", () => open.delete(socket))));
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  const port = portOf(server.address());
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  return { url: `http://127.0.0.1:${port}`, port, close };
};

const portOf = (address: ReturnType<Server["address"]>): number => {
  if (typeof address === "object" && address) return address.port;
  throw new Error("a server that listens has a port");
};
