import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawnNode } from "../../scripts/processes.mjs";
import { timeUntil } from "./scene";

const PROGRAM = fileURLToPath(new URL("./forwarder.cjs", import.meta.url));
const NO_ANSWER_MS = 300;

export type Backlog = {
  port: number;
  /** From here on a connection is neither made nor refused. */
  fill: () => Promise<void>;
  empty: () => Promise<void>;
  stop: () => void;
};

/**
 * A way to `targetPort` whose queue can be full: its program is frozen, a few connections fill what the kernel holds for
 * it, and the kernel drops the first packet of every further one.
 */
export const startBacklog = async (targetPort: number): Promise<Backlog> => {
  const program = spawnNode([PROGRAM, `${targetPort}`], {});
  const kill = () => void program.kill("SIGKILL");
  // A frozen program does not notice that this one has ended.
  process.once("exit", kill);
  const [port] = (await once(program.stdout ?? program, "data")).map(Number);
  const fillers = new Set<Socket>();
  const isTaken = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port ?? 0, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      fillers.add(socket);
      setTimeout(() => resolve(false), NO_ANSWER_MS);
    });
  const letGo = () => {
    for (const socket of fillers) socket.destroy();
    fillers.clear();
  };
  return {
    port: port ?? 0,
    stop: () => {
      process.off("exit", kill);
      kill();
    },
    fill: async () => {
      // A connection that is kept alive would need no new one.
      program.kill("SIGUSR2");
      await sleep(NO_ANSWER_MS);
      program.kill("SIGSTOP");
      await timeUntil(async () => !(await isTaken()), 10_000);
    },
    empty: async () => {
      letGo();
      program.kill("SIGCONT");
      await timeUntil(isTaken, 10_000);
      letGo();
    },
  };
};
