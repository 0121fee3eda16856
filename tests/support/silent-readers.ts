import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PYTHON } from "./python";

export type SilentReaders = {
  /** How many of them the server has cut so far. */
  cut: () => Promise<number>;
  leave: () => void;
};

/** Clients at one address that ask for a path and read nothing of the answer. */
export async function openSilentReaders(
  baseUrl: string,
  { count, path, address }: { count: number; path: string; address: string },
): Promise<SilentReaders> {
  const { port } = new URL(baseUrl);
  const program = spawn(PYTHON ?? "python3", ["tests/support/silent_readers.py", port, `${count}`, path, address], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    cut: async () => {
      program.stdin.write("\n");
      return Number((await lines.next()).value);
    },
    leave: () => program.stdin.end(),
  };
}
