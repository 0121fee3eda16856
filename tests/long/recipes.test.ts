import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { applied, readRecipes } from "../support/recipes";
import { runToEnd } from "../support/run-to-end";

vi.setConfig({ testTimeout: 600_000 });

/** A test that the reader of a recipe would write. */
const PROOFS: Record<string, string> = {
  "A query parameter": `
    import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";

    test("followed", async () => {
      const template = { ...FIXTURE_TEMPLATES[0], quality_score: { score: "RED" } };
      const { call } = await provisionWorkspace({ mode: "test", templates: [template] });
      const found = async (quality: string) => (await call("GET", \`/api/v1/public/templates?quality=\${quality}\`)).text;
      expect(await found("red")).toContain('"qualityScore":"RED"');
      expect(await found("GREEN")).toContain('"templates":[]');
    });`,
  "A filter of a list": `
    import { provenWorkspaceId } from "@/lib/core/principal";
    import { countMessages, listMessages } from "@/lib/messages/list/log-queries";
    import { readLogView } from "@/lib/messages/list/log-view";
    import { sweep } from "../../support/sweep";

    test("followed", async () => {
      const workspace = await provisionWorkspace();
      await workspace.send({ type: "text", phone: "447700900123", content: "Ready" });
      await sql\`
        update messages set recipient_country = 'GB', created_at = now() - interval '5 hours'
        where workspace_id = \${workspace.workspaceId}\`;
      await sweep();
      const member = { workspaceId: provenWorkspaceId(workspace.workspaceId), role: "owner", workspace: { timeZone: "UTC" } } as const;
      for (const [country, count] of [["GB", 1], ["DE", 0]] as const) {
        const view = readLogView(member, new URLSearchParams({ mode: "live", country }));
        expect(await countMessages(view)).toEqual({ count, isMore: false });
        expect((await listMessages(view, {})).rows.length).toBe(count);
      }
    });`,
  "A kind of alert": `
    import { sweep } from "../../support/sweep";

    test("followed", async () => {
      const { workspaceId } = await provisionWorkspace();
      await sql\`
        update api_keys set expires_at = now() + interval '6 days' where workspace_id = \${workspaceId}\`;
      await sweep();
      const alerts = await sql\`select kind, tone from alerts where workspace_id = \${workspaceId}\`;
      expect(alerts).toEqual([{ kind: "key.expiring", tone: "caution" }]);
    });`,
  "A field of a message": `
    import { csvHeading } from "@/lib/messages/list/downloads";

    test("followed", async () => {
      const { send, status } = await provisionWorkspace();
      const body = { type: "text", phone: "447700900123", content: "Ready", campaign: "spring" };
      const sent = await send(body, { "Idempotency-Key": "followed" });
      const again = await send(body, { "Idempotency-Key": "followed" });
      const read = await status(sent.body.data.id);
      for (const { body } of [sent, again, read]) expect(body.data).toMatchObject({ campaign: "spring" });
      expect(again.body.data.idempotentReplay).toBe(true);
      expect((await send({ ...body, campaign: "" })).status).toBe(400);
      expect(csvHeading("member")).toContain("campaign");
    });`,
};
/** Files at the end that nothing but the reader asks for. */
const NOT_ASKED_FOR: Record<string, number> = { "A field of a message": 3 };

/** A copy of the sources, with the packages and generated types of this one. */
function copyOfTheHouse(): string {
  const copy = mkdtempSync(path.join(os.tmpdir(), "switchboard-recipe-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" })
    .split("\0")
    .filter((file) => existsSync(file));
  for (const file of files.filter(Boolean)) cpSync(file, path.join(copy, file));
  symlinkSync(path.resolve("node_modules"), path.join(copy, "node_modules"));
  // The pages stay as they were built; the server's bundle is the copy's own.
  mkdirSync(path.join(copy, ".next"));
  for (const name of readdirSync(".next").filter((name) => name !== "switchboard")) {
    symlinkSync(path.resolve(".next", name), path.join(copy, ".next", name));
  }
  if (existsSync("next-env.d.ts")) cpSync("next-env.d.ts", path.join(copy, "next-env.d.ts"));
  return copy;
}

const run = (cwd: string, ...words: string[]) =>
  runToEnd([process.execPath, ...words], { cwd, env: { TEST_BUILD: "server" } });

/** Errors in tests are left out: some name every field, and ask for a new one. */
async function typeErrors(copy: string): Promise<string[]> {
  const { stdout } = await run(copy, path.resolve("node_modules/typescript/bin/tsc"), "--noEmit");
  return stdout.split("\n").filter((line) => /^\S/.test(line) && !line.startsWith("tests/"));
}

describe.each(readRecipes())("the recipe for: $name", ({ name, files, isReleased }) => {
  test("the compiler asks for each of its files in turn, and then it does what it says", async () => {
    const copy = copyOfTheHouse();
    const asked = files.length - (NOT_ASKED_FOR[name] ?? 0);
    for (const [i, { file, hunks }] of files.entries()) {
      const place = path.join(copy, file);
      writeFileSync(place, applied(readFileSync(place, "utf8"), hunks));
      if (i < asked - 1) expect(await typeErrors(copy), file).not.toEqual([]);
      if (i === asked - 1 || i === files.length - 1) expect(await typeErrors(copy), file).toEqual([]);
    }
    if (files.some(({ file }) => file.startsWith("db/schema/"))) {
      await run(copy, "scripts/generate-migration.mjs", "followed");
    }
    for (const script of isReleased ? ["openapi", "release-clients"] : []) {
      const ended = await run(copy, path.resolve("node_modules/tsx/dist/cli.mjs"), `scripts/${script}.ts`);
      expect(ended, script).toMatchObject({ exitCode: 0 });
    }
    const imports = `import { expect, test } from "vitest";
import { sql } from "../../support/rows";
import { provisionWorkspace } from "../../support/workspace";`;
    writeFileSync(path.join(copy, "tests/api/messages/followed.test.ts"), `${imports}\n${PROOFS[name]}`);
    const vitest = path.resolve("node_modules/vitest/vitest.mjs");
    const { exitCode, stdout } = await run(
      copy,
      vitest,
      "run",
      "--project",
      "api",
      "tests/api/messages/followed.test.ts",
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("followed.test.ts")]);
  });
});
