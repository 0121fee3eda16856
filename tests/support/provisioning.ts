import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { createDatabase, everything, type TestDatabase } from "./databases";
import { type Environment, type Finished, PROVISION, runProgram, serverEnvironment } from "./programs";

/** The provisioning command into a database of the test file's own. */
export const provisioning = () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-provision-"));
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createDatabase({ isMigrated: true });
  });
  afterAll(async () => {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const here = (): TestDatabase => {
    if (!database) throw new Error("The database is made before the first test.");
    return database;
  };
  const fileOf = (content: unknown): string => {
    const file = path.join(folder, `${process.hrtime.bigint()}.json`);
    writeFileSync(file, typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return file;
  };
  const run = (args: string[], { input, env = {} }: RunOptions = {}): Promise<Finished> =>
    runProgram([...PROVISION, ...args], serverEnvironment({ DATABASE_URL: here().url, ...env }), input && { input });

  /** Nothing on standard output, the sentences on standard error, and every row as it was. */
  const expectRefusal = async (args: string[], expected: unknown, options: RunOptions = {}): Promise<void> => {
    const before = await everything(here().sql);
    const { exitCode, stdout, stderr } = await run(args, options);
    expect([exitCode, stdout], stderr).toEqual([1, ""]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.pop()).toBe("Nothing was changed.");
    expect(lines).toEqual(expected);
    expect(await everything(here().sql)).toEqual(before);
  };

  return {
    fileOf,
    run,
    expectRefusal,
    provision: async (content: unknown) => provisioned(await run([fileOf(content)])),
    sql: () => here().sql,
    databaseUrl: () => here().url,
  };
};

type RunOptions = { input?: AsyncIterable<string> | string[]; env?: Environment };

type Provisioned = {
  workspaces: {
    ref: string;
    id: string;
    phoneNumbers: Record<string, string>;
    contacts: Record<string, string>;
    templates: Record<string, string>;
    apiKeys: Record<string, { apiKey: string; apiSecret: string | null }>;
  }[];
};

/** One JSON document on standard output, and nothing beside it anywhere. */
export const provisioned = ({ exitCode, stdout, stderr }: Finished): Provisioned["workspaces"] => {
  expect([exitCode, stderr], stdout).toEqual([0, ""]);
  const { workspaces, ...rest }: Provisioned = JSON.parse(stdout);
  expect(rest).toEqual({});
  return workspaces;
};

let workspaceCount = 0;

/** A workspace of a file, with a ref that no other test of the file has. */
export const workspace = (more: object = {}) => ({ ref: `w${++workspaceCount}`, name: "Acme", ...more });

/** An address that no other test of the file has. */
export const newEmail = (): string => `person${++workspaceCount}@acme.test`;

export const line = (more: object = {}) => ({
  ref: "support",
  label: "Support",
  mode: "live",
  displayPhoneNumber: "+44 20 7946 0123",
  whatsappPhoneNumberId: "106500001",
  whatsappBusinessAccountId: "102200001",
  accessToken: "EAAtoken",
  ...more,
});

export const template = (more: object = {}, record: object = {}) => ({
  mode: "live",
  whatsappBusinessAccountId: "102200001",
  template: {
    id: "5900010001",
    name: "order_ready",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hi" }],
    ...record,
  },
  ...more,
});
