import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const DEFAULT_PORT = 3000;
const CANDIDATES = 100;
const WAIT_MS = 2_000;
const POLL_MS = 50;

/** Returns PORT if set, else the first free port from 3000 on. Throws if PORT is not available. */
export async function choosePort() {
  if (process.env.PORT) return checkedPort(process.env.PORT);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + CANDIDATES; port++) {
    if (!(await isFree(port))) continue;
    if (port !== DEFAULT_PORT)
      console.log(`Port ${DEFAULT_PORT} is taken, so this uses ${port}. PORT=… chooses another.`);
    return port;
  }
  throw new Error(`No port from ${DEFAULT_PORT} to ${DEFAULT_PORT + CANDIDATES - 1} is free. PORT=… chooses another.`);
}

/** A port of 127.0.0.1 that is free right now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function checkedPort(text) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error(`PORT must be a number from 1 to 65535, not "${text}".`);
  // The server of a killed run may need a moment to exit.
  const deadline = Date.now() + WAIT_MS;
  while (!(await isFree(port)) && Date.now() < deadline) await sleep(POLL_MS);
  if (!(await isFree(port))) throw new Error(`Port ${port} is taken or not allowed. Free it, or set PORT to another.`);
  return port;
}

/** Checks IPv4 and IPv6, because some systems let two programs share a port on different addresses. */
const isFree = async (port) => (await canListen(port, "127.0.0.1")) && (await canListen(port, "::"));

const canListen = (port, host) =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code }) => resolve(code === "EAFNOSUPPORT" || code === "EADDRNOTAVAIL"));
    probe.listen({ port, host }, () => probe.close(() => resolve(true)));
  });
