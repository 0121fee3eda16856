import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { currentSeal, encrypt } from "@/lib/core/crypto";
import { openSecret } from "@/lib/outgoing/endpoint-secret";
import { printed, runCommand } from "../support/commands";
import { startInstance, testServers } from "../support/environment";
import { freshAddress } from "../support/limits";
import { startOwnDatabase } from "../support/own-database";
import { ENCRYPTION_ROTATE, serverEnvironment, startProgram } from "../support/programs";
import { addEndpoint } from "../support/receiver";
import { onRows } from "../support/rows";
import { PHONE } from "../support/sends";
import { type Answer, platformRequests, provisionWorkspace, request, type TestWorkspace } from "../support/workspace";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const newSecret = () => randomBytes(32).toString("base64url");
const secrets = { encryptionKey: newSecret(), pepper: newSecret() };

type Counts = { resealed: number; alreadyCurrent: number; unreadable: number };
type Instance = Awaited<ReturnType<typeof startInstance>>;

let own: Awaited<ReturnType<typeof startOwnDatabase>>;
/** A server that knows the old secrets and the new ones, and one that knows the new ones alone. */
let both: Instance;
let after: Instance;
beforeAll(async () => {
  own = await startOwnDatabase({}, "API");
  const { ENCRYPTION_KEY = "", KEY_PEPPER = "" } = testServers().environment;
  const current = { ENCRYPTION_KEY: secrets.encryptionKey, KEY_PEPPER: secrets.pepper };
  [both, after] = await Promise.all([
    startInstance({ ...current, ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY, KEY_PEPPER_PREVIOUS: KEY_PEPPER }, "API"),
    startInstance(current, "API"),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all([both.stop(), after.stop()]);
  await own.stop();
});

/** What the command is given: the new key, and the old one while it is still needed. */
const keysOf = () => ({
  ENCRYPTION_KEY: secrets.encryptionKey,
  ENCRYPTION_KEY_PREVIOUS: testServers().environment.ENCRYPTION_KEY,
});
const rotateEncryption = () => runCommand(ENCRYPTION_ROTATE, [], keysOf());

const sendTo = (
  { baseUrl }: Instance,
  workspace: TestWorkspace,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  request("POST", `${baseUrl}/api/v1/public/messages/send`, {
    headers: {
      "content-type": "application/json",
      apiKey: workspace.apiKey,
      apiSecret: workspace.apiSecret,
      "x-forwarded-for": freshAddress(),
      ...headers,
    },
    body: JSON.stringify({ ...TEXT, phoneNumberId: workspace.phoneNumberId }),
  });

const tokenOf = async (phoneNumberId: string): Promise<string> => {
  const [row] = await onRows(
    (sql) => sql<{ token: string }[]>`select access_token as token from phone_numbers where id = ${phoneNumberId}`,
  );
  return row?.token ?? "";
};
const isCurrent = (token: string) => token.startsWith(currentSeal([secrets.encryptionKey]));

describe("the encryption key", () => {
  test("is replaced under a load of sends, of which none fails; then the old one is not needed any more", async () => {
    const lines = Array.from({ length: 55 }, (_, i) => ({ ref: `line${i}`, accessToken: `EAAtoken${i}` }));
    const workspaces = await Promise.all([0, 1].map(() => provisionWorkspace({ lines })));
    const [workspace] = workspaces;
    if (!workspace) throw new Error("none was made");
    const endpoint = await addEndpoint(workspace, { url: "https://example.com/hook", mode: "live" });
    expect((await sendTo(both, workspace)).status).toBe(201);
    expect((await sendTo(after, workspace)).status).toBe(500);

    const answers: Answer[] = [];
    let isOver = false;
    const clients = workspaces.flatMap((one) =>
      [1, 2].map(async () => {
        while (!isOver) answers.push(await sendTo(both, one));
      }),
    );
    while (answers.length < 10) await sleep(20);
    const counts = printed<Counts>(await rotateEncryption());
    const during = answers.length;
    while (answers.length < during + 10) await sleep(20);
    isOver = true;
    await Promise.all(clients);

    expect(counts).toEqual({ resealed: 111, alreadyCurrent: 0, unreadable: 0 });
    expect(during).toBeGreaterThan(15);
    expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
    const calls = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
    expect(new Set(calls.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer EAAtoken0"]));
    expect(printed<Counts>(await rotateEncryption())).toEqual({ resealed: 0, alreadyCurrent: 111, unreadable: 0 });
    expect((await rowsLeft()).length).toBe(0);
    const [stored] = await onRows((sql) => sql<{ secret: string }[]>`select secret from webhook_endpoints`);
    const sealed = { workspaceId: workspace.workspaceId, id: endpoint.id };
    expect(openSecret(stored?.secret ?? "", sealed, [secrets.encryptionKey])).toBe(endpoint.secret);
    expect((await sendTo(after, workspace)).status).toBe(201);
  });

  test("a token that is replaced at the same time stays the new one", async () => {
    const workspace = await provisionWorkspace();
    const { workspaceId, phoneNumberId } = workspace;
    const place = `${workspaceId}/${phoneNumberId}`;
    const { ENCRYPTION_KEY = "" } = testServers().environment;
    let program: ReturnType<typeof startProgram> | undefined;
    await onRows((sql) =>
      sql.begin(async (tx) => {
        const sealed = encrypt("EAAnewer", place, [ENCRYPTION_KEY]);
        await tx`update phone_numbers set access_token = ${sealed} where id = ${phoneNumberId}`;
        program = startProgram(ENCRYPTION_ROTATE, serverEnvironment(keysOf()));
        // Until the command waits for this row, having read what stood there before.
        const waiting = () =>
          tx`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
        const deadline = Date.now() + 2_000;
        while ((await waiting()).length === 0 && Date.now() < deadline) await sleep(20);
      }),
    ).catch((error: unknown) => error);
    expect(await program?.exited).toBe(0);
    const token = await tokenOf(phoneNumberId);
    expect(isCurrent(token)).toBe(true);
    const answer = await sendTo(both, workspace);
    expect(answer.status, answer.text).toBe(201);
    const calls = await platformRequests(workspace.whatsappPhoneNumberId, "messages");
    expect(calls.at(-1)?.headers.authorization).toBe("Bearer EAAnewer");
  });

  test("a token that no key opens is named, left as it is, and stops nothing", async () => {
    const [broken, sound] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
    const sealed = encrypt("EAAlost", `${broken.workspaceId}/${broken.phoneNumberId}`, [newSecret()]);
    await onRows((sql) => sql`update phone_numbers set access_token = ${sealed} where id = ${broken.phoneNumberId}`);
    const { exitCode, stdout, stderr } = await rotateEncryption();
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ unreadable: 1 });
    expect(stderr).toContain(`${broken.workspaceId}/${broken.phoneNumberId}`);
    expect(stderr).not.toContain("EAA");
    expect(await tokenOf(broken.phoneNumberId)).toBe(sealed);
    expect(isCurrent(await tokenOf(sound.phoneNumberId))).toBe(true);
  });
});

describe("the pepper", () => {
  const statusAt = async ({ baseUrl }: Instance, { apiKey, apiSecret }: { apiKey: string; apiSecret: string }) =>
    (
      await request("GET", `${baseUrl}/api/v1/public/templates`, {
        headers: { apiKey, apiSecret, "x-forwarded-for": freshAddress() },
      })
    ).status;

  test("secrets under the previous one work and move to the current one with their first use", async () => {
    const workspace = await provisionWorkspace({ extraKeys: ["unused"] });
    const unused = workspace.keys.unused ?? workspace;
    expect(await statusAt(after, workspace)).toBe(401);
    expect(await Promise.all([1, 2, 3, 4].map(() => statusAt(both, workspace)))).toEqual([200, 200, 200, 200]);
    expect([await statusAt(after, workspace), await statusAt(after, unused)]).toEqual([200, 401]);
    expect([await statusAt(both, unused), await statusAt(after, unused)]).toEqual([200, 200]);
  });

  test("a secret in its overlap moves, too, and does not take the current one's place", async () => {
    const workspace = await provisionWorkspace();
    const { apiKey } = workspace;
    await onRows(
      (sql) => sql`
        update api_keys set previous_secret_hash = secret_hash, previous_secret_ends_at = now() + interval '1 hour',
          secret_hash = sha256('another') where api_key = ${apiKey}`,
    );
    const currentHash = () => onRows((sql) => sql`select secret_hash from api_keys where api_key = ${apiKey}`);
    const before = await currentHash();
    expect([await statusAt(both, workspace), await statusAt(after, workspace)]).toEqual([200, 200]);
    expect(await currentHash()).toEqual(before);
  });

  test("a wrong secret moves nothing", async () => {
    const workspace = await provisionWorkspace();
    const wrong = { ...workspace, apiSecret: `${workspace.apiSecret}x` };
    expect([await statusAt(both, wrong), await statusAt(after, workspace)]).toEqual([401, 401]);
  });
});

/** Tokens that are not under the new key. */
const rowsLeft = async (): Promise<string[]> => {
  const rows = await onRows((sql) => sql<{ token: string }[]>`select access_token as token from phone_numbers`);
  return rows.map(({ token }) => token).filter((token) => !isCurrent(token));
};
