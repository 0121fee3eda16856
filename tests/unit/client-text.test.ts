import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientText } from "@/lib/docs/client-text";

test("the client in one file has every module of the package, compiles by itself and imports nothing", async () => {
  const text = await clientText("https://messages.example.com");
  expect(text).toContain('const DEFAULT_ORIGIN = "https://messages.example.com";');
  expect(text).not.toMatch(/^(import|export [{*])| from "/m);
  expect(readdirSync("clients/typescript/src").filter((file) => file.endsWith(".ts"))).toHaveLength(9);
  for (const name of ["Switchboard", "ValidationError", "NoResponseError"])
    expect(text).toContain(`export class ${name} `);
  expect(text).toContain("export const verifyWebhook = ");
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, "client.ts"), text);
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--types", ""];
  const compiler = path.resolve("node_modules/typescript/bin/tsc");
  const compile = () =>
    execFileSync(process.execPath, [compiler, ...options, "client.ts"], { cwd: folder, encoding: "utf8" });
  expect(compile()).toBe("");
});
