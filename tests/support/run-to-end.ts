import { type ChildProcess, spawn } from "node:child_process";

export type Ended = { exitCode: number | null; stdout: string; stderr: string };

type Run = { cwd?: string; env?: Record<string, string | undefined>; input?: string };

/** Starts any program, with PATH, HOME and `env` as its environment. */
export const startAny = ([program = "", ...args]: string[], { cwd, env }: Run = {}): ChildProcess => {
  const { PATH, HOME, NODE_ENV } = process.env;
  return spawn(program, args, { cwd: cwd ?? process.cwd(), env: { PATH, HOME, NODE_ENV, ...env } });
};

/** Runs any program to its end; `input` is its standard input. */
export const runToEnd = (words: string[], run: Run = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = startAny(words, run);
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        printed[name] += text;
      });
    }
    child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, ...printed }));
    // A program may end without reading what it is given.
    child.stdin?.on("error", () => {}).end(run.input ?? "");
  });
