import { expect } from "vitest";
import { type Environment, type Finished, runProgram, serverEnvironment } from "./programs";

/** An operator's command to its end, with the environment of this run's servers. */
export const runCommand = (program: string[], args: string[], changes: Environment = {}): Promise<Finished> =>
  runProgram([...program, ...args], serverEnvironment(changes));

/** What a command that ended well printed: one JSON document, and nothing beside it. */
export const printed = <T>({ exitCode, stdout, stderr }: Finished): T => {
  expect([exitCode, stderr], stdout).toEqual([0, ""]);
  return JSON.parse(stdout);
};
