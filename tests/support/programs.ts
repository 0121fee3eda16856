import type { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { exitOf, spawnNode } from "../../scripts/processes.mjs";
import { testServers } from "./environment";
import { newLogFile, noteEnvironment } from "./run-logs";

/** A script as npm starts it. */
export const tsx = (script: string): string[] => ["node_modules/tsx/dist/cli.mjs", script];

/** One of `switchboard`, compiled once a run of tests; the faults, which are no such run, start it from its source. */
const command = (...name: string[]): string[] =>
  process.env.TEST_SERVERS === undefined
    ? [...tsx("scripts/switchboard.ts"), ...name]
    : [path.join(testServers().commands, "switchboard.js"), ...name];

export const SWITCHBOARD = command();
export const PROVISION = command("provision");
export const KEYS = command("keys");
export const ERASE = command("erase");
export const RATE_CARD = command("rate-card");
export const RESET_PASSWORD = command("reset-password");
export const ENCRYPTION_ROTATE = command("encryption-rotate");
export const DOCTOR = command("doctor");
export const SANDBOX = command("sandbox");
export const TRIGGER = command("trigger");
// They find their SQL beside their own source.
export const MIGRATE = [...tsx("scripts/switchboard.ts"), "migrate"];
export const RESTORE_GUARD = [...tsx("scripts/switchboard.ts"), "restore-guard"];

export type Environment = Record<string, string | undefined>;

export type Program = {
  pid: number;
  /** What it has said so far. */
  said: { stdout: string; stderr: string };
  /** Resolves when its standard output holds `text`; rejects with what it said when it ends before. */
  says: (text: string) => Promise<void>;
  signal: (signal: NodeJS.Signals) => void;
  /** The exit code; null where a signal ended it. */
  exited: Promise<number | null>;
};

/** What a server of this run needs, with changes; undefined takes a variable away. */
export const serverEnvironment = (changes: Environment = {}): Environment => ({
  PATH: process.env.PATH,
  ...testServers().environment,
  ...changes,
});

/** Starts a program of the project with exactly this environment. */
export const startProgram = (args: string[], env: Environment, stdin: "ignore" | "pipe" = "ignore"): Program => {
  const child = spawnNode(args, { env, stdin });
  const said = { stdout: "", stderr: "" };
  // A command's answer may be a new secret; what it says beside it, and all that a server says, is a log.
  const logs = {
    stdout: args.includes("scripts/start.mjs") ? newLogFile("server") : undefined,
    stderr: newLogFile("terminal"),
  };
  noteEnvironment(env);
  const listeners = new Set<() => void>();
  const hear = (name: "stdout" | "stderr") =>
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      if (logs[name]) appendFileSync(logs[name], text);
      for (const listener of listeners) listener();
    });
  hear("stdout");
  hear("stderr");
  const exited: Promise<number | null> = exitOf(child);
  inputs.set(said, child);
  return {
    pid: child.pid ?? 0,
    said,
    exited,
    signal: (signal) => void child.kill(signal),
    says: (text) =>
      new Promise((resolve, reject) => {
        const check = () => said.stdout.includes(text) && resolve();
        listeners.add(check);
        check();
        void exited.then((code) => reject(new Error(`ended with ${code}:\n${said.stdout}${said.stderr}`)));
      }),
  };
};

const inputs = new WeakMap<Program["said"], ChildProcess>();

export type Finished = { exitCode: number | null; stdout: string; stderr: string; ms: number };

/** Runs a program to its end; the parts of `input` reach its standard input one after the other. */
export const runProgram = async (
  args: string[],
  env: Environment,
  { input }: { input?: AsyncIterable<string> | Iterable<string> } = {},
): Promise<Finished> => {
  const startedAtMs = performance.now();
  const program = startProgram(args, env, input ? "pipe" : "ignore");
  const stdin = inputs.get(program.said)?.stdin;
  // A program may end without reading what it is given.
  stdin?.on("error", () => {});
  for await (const part of input ?? []) stdin?.write(part);
  stdin?.end();
  const exitCode = await program.exited;
  return { exitCode, ...program.said, ms: performance.now() - startedAtMs };
};
