import { describe, expect, test, vi } from "vitest";
import { runProgram, SWITCHBOARD, tsx } from "../../support/programs";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const PATH = { PATH: process.env.PATH };
const SOURCE = tsx("scripts/switchboard.ts");

const helped = await runProgram([...SWITCHBOARD, "--help"], PATH);
const named = [...helped.stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name ?? "");

describe("0", () => {
  test("the help names every command, each in a line, and fits a screen", () => {
    expect([helped.exitCode, helped.stderr, named.length]).toEqual([0, "", 18]);
    const lines = helped.stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test.each(named)("%s --help says how it is used, without an environment", async (name) => {
    const { exitCode, stdout, stderr } = await runProgram([...SWITCHBOARD, name, "--help"], PATH);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: switchboard ${name}\\b`));
  });

  // One that loads nearly all of `lib`, and the one that an operator starts first.
  test.concurrent.each(["doctor", "provision"])("%s starts from its source", async (name) => {
    const { exitCode, stdout, stderr } = await runProgram([...SOURCE, name, "--help"], PATH);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain(`Usage: switchboard ${name}`);
  });

  test.concurrent.each(["migrate", "listen"])("%s starts from the build, without the sources", async (name) => {
    const { exitCode, stdout, stderr } = await runProgram(["scripts/start.mjs", name, "--help"], PATH);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain(`Usage: switchboard ${name}`);
  });
});

describe("refused", () => {
  test("without a command the help is the error", async () => {
    expect(await runProgram(SWITCHBOARD, PATH)).toMatchObject({ exitCode: 2, stdout: "", stderr: helped.stdout });
  });

  test.each([
    ["kyes", "keys"],
    ["reset-pasword", "reset-password"],
    ["toString", "doctor"],
  ])("%s is not known, and the nearest is named", async (wrong, right) => {
    const { exitCode, stdout, stderr } = await runProgram([...SWITCHBOARD, wrong], PATH);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`There is no command "${wrong}". Did you mean ${right}?\n`);
  });

  test.concurrent.each([
    ["db:generate without a name", ["scripts/generate-migration.mjs"], 1, "Name what the migration does"],
    ["npm test with an unknown suite", ["scripts/test.mjs", "hostil"], 2, 'There is no suite "hostil".'],
    ["npm run bench with an unknown name", [...tsx("tests/bench/main.ts"), "grow"], 2, 'There is no benchmark "grow".'],
  ])("%s says what it takes, and runs nothing", async (_, program, code, words) => {
    const { exitCode, stdout, stderr } = await runProgram(program, PATH);
    expect([exitCode, stdout]).toEqual([code, ""]);
    expect(stderr).toContain(words);
  });
});
