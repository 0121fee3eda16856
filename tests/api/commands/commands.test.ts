import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { COMPILED } from "../../support/compile-commands";
import { runProgram, tsx } from "../../support/programs";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));

// The other files run what they try compiled.
test.concurrent.each(COMPILED)("%s starts from its source, as its npm script says", async (name) => {
  const source = `scripts/${name}.ts`;
  expect(Object.values(scripts)).toContain(`tsx ${source}`);
  const finished = await runProgram([...tsx(source), "--help"], { PATH: process.env.PATH });
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(finished.stdout + finished.stderr).toContain(`npm run `);
});
