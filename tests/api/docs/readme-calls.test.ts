import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ORDER } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const run = promisify(execFile);
const [, calls = ""] = /## Three calls[\s\S]+?```sh\n([\s\S]+?)```/.exec(readFileSync("README.md", "utf8")) ?? [];

test("the README's three calls work as they are pasted beside a running demo, however often", async () => {
  const { baseUrl, apiKey, apiSecret } = await provisionWorkspace({ mode: "test", templates: [ORDER] });
  const folder = mkdtempSync(path.join(os.tmpdir(), "readme-calls-"));
  try {
    mkdirSync(path.join(folder, ".data"));
    writeFileSync(path.join(folder, ".data/demo.json"), JSON.stringify({ baseUrl, apiKey, apiSecret }));
    const { stdout } = await run("sh", ["-euc", calls], { cwd: folder });
    const [sent, status, templates] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).data);
    expect(sent).toMatchObject({ idempotentReplay: false, status: "SENT" });
    expect(status).toMatchObject({ id: sent.id, status: "READ" });
    expect(templates.templates.map(({ name }: { name: string }) => name)).toEqual(["order_ready"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
