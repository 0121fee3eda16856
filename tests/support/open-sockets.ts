import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { processTree } from "./process-tree";

const LISTENING = "0A";

/**
 * How many connections from others the process `pid` still holds on its port; undefined where the system does not say.
 * Next calls its own server to pass an action on to the page that has it, and keeps that connection for the next one: what
 * comes from the server's own page process does not count.
 */
export const openSockets = (pid: number, port: number): number | undefined => {
  try {
    const inodesOf = (one: number) => readdirSync(`/proc/${one}/fd`).map((fd) => inodeOf(`/proc/${one}/fd/${fd}`));
    const own = new Set(processTree(pid).flatMap(inodesOf));
    const rows = ["tcp", "tcp6"]
      .flatMap((name) => readFileSync(`/proc/net/${name}`, "utf8").trimEnd().split("\n").slice(1))
      .map((row) => row.trim().split(/\s+/))
      .map(([, local = "", remote = "", state, , , , , , inode]) => ({
        local: portOf(local),
        remote: portOf(remote),
        isOwn: own.has(inode),
        state,
      }))
      .filter(({ isOwn, state }) => isOwn && state !== LISTENING);
    const toItself = new Set(rows.filter(({ remote }) => remote === port).map(({ local }) => local));
    return rows.filter(({ local, remote }) => local === port && !toItself.has(remote)).length;
  } catch {
    return undefined;
  }
};

const portOf = (address: string) => Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);

const inodeOf = (path: string): string | undefined => {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
  } catch {
    // Closed since it was listed.
    return undefined;
  }
};
