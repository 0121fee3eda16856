import { describe, expect, vi } from "vitest";
import { createKey, revokeKey, rotateKey } from "@/lib/api-keys/change-key";
import { provenWorkspaceId } from "@/lib/core/principal";
import type { Overlap } from "@/lib/core/secret-life";
import { command } from "@/lib/workspaces/record-audit";
import { printed, runCommand } from "../../support/commands";
import { KEYS } from "../../support/programs";
import { auditEntries, sql } from "../../support/rows";
import { expectSent, TEXT } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const PATH = "/api/v1/public/templates";

type Pair = { apiKey: string; apiSecret: string };
type Rotated = Pair & { id: string; previousSecretEndsAt: string | null };

const keys = <T>(name: string, workspace: TestWorkspace, ...args: string[]) =>
  runCommand(KEYS, [name, "--workspace", workspace.workspaceId, ...args]).then(printed<T>);
const by = command("test");
const rotate = ({ workspaceId, apiKey }: TestWorkspace, overlap: Overlap) =>
  rotateKey(provenWorkspaceId(workspaceId), { apiKey, overlap }, by);
const revoke = ({ workspaceId, apiKey }: TestWorkspace) => revokeKey(provenWorkspaceId(workspaceId), apiKey, by);
const statusWith = async (workspace: TestWorkspace, key: Pair) => (await workspace.call("GET", PATH, { key })).status;

describe("rotation", () => {
  test("both secrets work during the overlap, the former none afterwards, and another key is untouched", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["third"] });
    const { apiKey } = workspace;
    const rotated = await keys<Rotated>("rotate", workspace, "--key", apiKey, "--overlap", "1h");
    expect(rotated).toEqual({
      id: expect.stringMatching(/^key_/),
      apiKey,
      apiSecret: expect.stringMatching(/^sk_live_/),
      previousSecretEndsAt: expect.any(String),
    });
    const leftMs = Date.parse(rotated.previousSecretEndsAt ?? "") - Date.now();
    expect(Math.abs(leftMs - 3_600_000)).toBeLessThan(30_000);
    expectSent(await workspace.send(TEXT));
    expectSent(await workspace.send(TEXT, { apiSecret: rotated.apiSecret }));

    await sql`update api_keys set previous_secret_ends_at = now() where api_key = ${apiKey}`;
    expect(await statusWith(workspace, workspace)).toBe(401);
    expect(await statusWith(workspace, rotated)).toBe(200);
    expect(await statusWith(workspace, workspace.keys.third ?? workspace)).toBe(200);
  });

  test("`now` ends the former secret at once, and a second rotation the one before the first", async () => {
    const workspace = await provisionWorkspace();
    const second = await rotate(workspace, "now");
    expect(second.previousSecretEndsAt).toBeNull();
    expect([await statusWith(workspace, workspace), await statusWith(workspace, second)]).toEqual([401, 200]);
    const third = await rotate(workspace, "24h");
    const fourth = await rotate(workspace, "15m");
    const all = [workspace, second, third, fourth];
    expect(await Promise.all(all.map((pair) => statusWith(workspace, pair)))).toEqual([401, 401, 200, 200]);
  });

  test("at the same time leaves one current secret, and no caller is ever without a working one", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId } = workspace;
    const rotated = await Promise.all(Array.from({ length: 5 }, () => rotate(workspace, "1h")));
    const working = await Promise.all(rotated.map((pair) => statusWith(workspace, pair)));
    expect(working.filter((status) => status === 200)).toHaveLength(2);
    expect((await auditEntries(workspaceId)).filter(({ action }) => action === "apiKey.rotated")).toHaveLength(5);
  });

  test("under load fails no request that holds either secret", async ({ workspace }) => {
    let pair: Pair = workspace;
    const answers: number[] = [];
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) answers.push(await statusWith(workspace, pair));
    });
    for (let i = 0; i < 3; i++) {
      pair = await rotate(workspace, "15m");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    isOver = true;
    await Promise.all(clients);
    expect(answers.length).toBeGreaterThan(10);
    expect(answers.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });
});

describe("revocation", () => {
  test("is refused from the next request on with every secret, once and for good; another key goes on", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["third"] });
    const rotated = await rotate(workspace, "24h");
    const first = await revoke(workspace);
    const pairs = [workspace, rotated, workspace.keys.third ?? workspace];
    expect(await Promise.all(pairs.map((pair) => statusWith(workspace, pair)))).toEqual([401, 401, 200]);
    expect(await revoke(workspace)).toEqual(first);
    await expect(rotate(workspace, "now")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect((await auditEntries(workspace.workspaceId)).slice(-2).map(({ action }) => action)).toEqual([
      "apiKey.rotated",
      "apiKey.revoked",
    ]);
  });

  test("that races with rotations ends the key, whichever comes first", async ({ workspace }) => {
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => rotate(workspace, "1h")),
      revoke(workspace),
    ]);
    const pairs = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" && "apiSecret" in outcome.value ? [outcome.value] : [],
    );
    for (const pair of [workspace, ...pairs]) expect(await statusWith(workspace, pair)).toBe(401);
  });

  test("a key of another workspace is one that does not exist", async ({ workspace: one, other }) => {
    await expect(revoke({ ...one, apiKey: other.apiKey })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await statusWith(other, other)).toBe(200);
  });
});

describe("the command", () => {
  test("creates a key that works, prints its secret once, and lists keys without any secret", async ({ workspace }) => {
    const made = await keys<Pair & { id: string }>("create", workspace, "--label", "Staging", "--mode", "live");
    expect(await statusWith(workspace, made)).toBe(200);
    const list = await keys<{ apiKeys: Record<string, unknown>[] }>("list", workspace);
    expect(list.apiKeys.find(({ id }) => id === made.id)).toMatchObject({ label: "Staging", apiKey: made.apiKey });
    expect(JSON.stringify(list)).not.toMatch(/sk_live|[hH]ash"/);
    expect((await auditEntries(workspace.workspaceId)).at(-1)).toEqual({
      actor: "command keys",
      action: "apiKey.created",
      target_kind: "apiKey",
      target_id: made.id,
      before: null,
      after: { label: "Staging", mode: "live", apiKey: made.apiKey },
    });
  });

  test("limits a key, and takes the limits away again", async ({ workspace }) => {
    const { apiKey } = workspace;
    const limit = (...args: string[]) => keys<object>("limit", workspace, "--key", apiKey, ...args);
    const given = ["--permissions", "templates,status", "--lines", workspace.phoneNumberId];
    const ranges = ["--ip-ranges", `${workspace.clientAddress},2001:db8::/32`, "--monthly-cap", "5000"];
    const more = ["--templates", "order_ready", "--expires", "2090-03-01T00:00:00Z"];
    expect(await limit(...given, ...ranges, ...more)).toEqual({
      apiKey,
      limits: {
        permissions: ["status", "templates"],
        phoneNumberIds: [workspace.phoneNumberId],
        templateNames: ["order_ready"],
        ipRanges: [`${workspace.clientAddress}/32`, "2001:db8::/32"],
        monthlyCap: 5_000,
      },
      expiresAt: "2090-03-01T00:00:00.000Z",
    });
    expect(await statusWith(workspace, workspace)).toBe(200);
    await limit("--permissions", "send");
    expect(await statusWith(workspace, workspace)).toBe(403);
    expect(await limit()).toEqual({ apiKey, limits: {}, expiresAt: null });
    expect(await statusWith(workspace, workspace)).toBe(200);
    const made = await keys<Pair>("create", workspace, "--label", "x", "--mode", "live", "--permissions", "send");
    expect(await statusWith(workspace, made)).toBe(403);
  });

  test("revokes, and refuses to rotate what was revoked", async ({ workspace }) => {
    const { apiKey } = workspace;
    const revoked = await keys<{ revokedAt: string }>("revoke", workspace, "--key", apiKey);
    expect(Math.abs(Date.parse(revoked.revokedAt) - Date.now())).toBeLessThan(60_000);
    expect(await statusWith(workspace, workspace)).toBe(401);
    const refused = await runCommand(KEYS, ["rotate", "--workspace", workspace.workspaceId, "--key", apiKey]);
    expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("No active API key");
  });

  const LIMIT = ["limit", "--workspace", "w", "--key", "k"] as const;
  test.for([
    [["create", "--label", "x", "--mode", "live"], "--workspace REF is required."],
    [["rotate", "--workspace", "w", "--key", "pk_live_x", "--overlap", "1d"], "--overlap must be one of"],
    [["revoke", "--workspace", "w"], "--key pk_… is required."],
    [["burn"], 'The first word must be one of list, create, limit, rotate, revoke, not "burn".'],
    [[...LIMIT, "--ip-ranges", "1.2.3.4/33"], '--ip-ranges: Line 1: "1.2.3.4/33" must'],
    [[...LIMIT, "--permissions", "all"], "--permissions: Use send, status, templates."],
    [[...LIMIT, "--expires", "soon"], "--expires must be a time such as"],
    [[...LIMIT, "--expires", "2027-02-30T00:00:00Z"], "--expires must be a time such as"],
    [["list", "--workspac", "w"], "Unknown option --workspac. Did you mean --workspace?"],
  ] as const)("a wrong command line says what is wrong: %j", async ([args, words]) => {
    const { exitCode, stdout, stderr } = await runCommand(KEYS, [...args]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
    expect(stderr).toContain("Usage:");
  });

  test("a workspace that does not exist is named, and nothing is made", async () => {
    const args = ["create", "--workspace", "nobody", "--label", "x", "--mode", "live"];
    const { exitCode, stdout, stderr } = await runCommand(KEYS, args);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain('There is no workspace "nobody".');
  });
});

test("a key whose audit row cannot be written is not made", async ({ workspace }) => {
  const unwritable = { actor: { kind: "command" as const, id: "\0" }, requestId: null };
  const making = createKey(provenWorkspaceId(workspace.workspaceId), { label: "Lost", mode: "live" }, unwritable);
  await expect(making).rejects.toThrow();
  expect(await sql`select from api_keys where workspace_id = ${workspace.workspaceId} and label = 'Lost'`).toEqual([]);
});
