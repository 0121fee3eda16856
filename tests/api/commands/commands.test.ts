import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { COMPILED } from "../../support/compile-commands";
import { runProgram, tsx } from "../../support/programs";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));

// The other files run what they try compiled, each from the same source.
test("each is an npm script that starts its source", () => {
  for (const name of COMPILED) expect(Object.values(scripts)).toContain(`tsx scripts/${name}.ts`);
});

// One that loads nearly all of `lib`, and the one that an operator starts first.
test.concurrent.each(["cli", "provision"] as const)("%s starts from its source", async (name) => {
  const finished = await runProgram([...tsx(`scripts/${name}.ts`), "--help"], { PATH: process.env.PATH });
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(finished.stdout + finished.stderr).toContain("npm run ");
});
