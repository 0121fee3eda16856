import { execFileSync } from "node:child_process";
import path from "node:path";
import { type Ended, runToEnd } from "./run-to-end";

const OLDEST = "3.9";

/** `python3` where there is one that the client supports, else undefined. */
export const findPython = (): string | undefined => {
  const isRecent = `import sys; sys.exit(sys.version_info < (${OLDEST.replace(".", ", ")}))`;
  try {
    execFileSync("python3", ["-c", isRecent], { stdio: "ignore" });
    return "python3";
  } catch {
    return undefined;
  }
};

export const PYTHON = findPython();

/** For the title of a test that needs Python, so that a report says why it was skipped. */
export const pythonTitle = (title: string): string =>
  PYTHON ? title : `${title} (skipped: no python3 of ${OLDEST} or newer)`;

/** Runs Python to its end. */
export const runPython = (args: string[], { env, ...run }: Parameters<typeof runToEnd>[1] = {}): Promise<Ended> =>
  runToEnd([PYTHON ?? "python3", ...args], { ...run, env: { PYTHONDONTWRITEBYTECODE: "1", ...env } });

export const PYTHON_SOURCE = path.resolve("clients/python/src");

/** Runs a program of `tests/support` with `input` as JSON, and reads the JSON that it prints. */
export const callPython = async <T>(program: string, input: unknown): Promise<T> => {
  const { exitCode, stdout, stderr } = await runPython([path.resolve("tests/support", program)], {
    input: JSON.stringify(input),
    env: { PYTHONPATH: PYTHON_SOURCE },
  });
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}:\n${stdout}${stderr}`);
  return JSON.parse(stdout);
};
