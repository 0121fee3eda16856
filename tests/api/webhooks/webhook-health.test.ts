import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { startInstance, testServers } from "../../support/environment";
import { sql } from "../../support/rows";
import { PHONE, TEXT } from "../../support/sends";
import { readAs } from "../../support/session";
import { test } from "../../support/test";
import { inboundWebhook, signatureOf } from "../../support/webhooks";
import { deliver, postWebhook, report, request, statusWebhook, type TestWorkspace } from "../../support/workspace";

const WITHIN_10_S = { timeout: 10_000, interval: 250 };

/** What is counted for a line, by kind. */
const countsOf = async ({ workspaceId }: TestWorkspace): Promise<Record<string, number>> => {
  const rows = await sql<{ kind: string; count: number }[]>`
      select kind, sum(count)::int as count from webhook_hours where workspace_id = ${workspaceId} group by kind`;
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
};

const noticesOf = ({ whatsappPhoneNumberId }: TestWorkspace) =>
  sql<{ kind: string; reason: string; body_digest: string | null }[]>`
      select kind, reason, body_digest from webhook_notices
      where whatsapp_phone_number_id = ${whatsappPhoneNumberId} order by at`;

const pageOf = async (workspace: TestWorkspace, sign = workspace.owner) => {
  const { text } = await readAs(sign, "/dashboard/webhooks");
  // React parts a number from its word with a comment.
  return text.replaceAll("<!-- -->", "");
};

const sentMessage = async (workspace: TestWorkspace) => {
  const { body } = await workspace.send(TEXT);
  return { id: body.data.id, whatsappMessageId: body.data.chatMessageId ?? "" };
};

describe("counts by line", () => {
  test("taken, repeated, out of order, of unknown messages and from contacts, each once", async ({ workspace }) => {
    const { whatsappMessageId: id } = await sentMessage(workspace);
    const timestamp = `${Math.floor(Date.now() / 1_000) - 3}`;
    const read = { id, status: "read", timestamp };
    await report(workspace, read);
    await report(workspace, read, read);
    await report(workspace, { id, status: "delivered", timestamp });
    await report(workspace, { id: "wamid.NOBODYS", status: "sent", timestamp });
    await deliver(inboundWebhook(workspace, [{ from: PHONE }]));
    await expect
      .poll(() => countsOf(workspace), WITHIN_10_S)
      .toEqual({ status: 1, duplicate: 2, outOfOrder: 1, unmatched: 1, inbound: 1 });
    expect(await pageOf(workspace)).toMatch(/2 duplicates.*1 out of order.*1 unmatched/s);
  });

  test("what is not written down yet when the server stops is written then", async ({ workspace }) => {
    const { whatsappMessageId: id } = await sentMessage(workspace);
    const instance = await startInstance({}, "API");
    await deliver(statusWebhook(workspace, [{ id, status: "delivered" }]), instance.baseUrl);
    expect(await countsOf(workspace)).toEqual({});
    await instance.stop();
    expect(await countsOf(workspace)).toEqual({ status: 1 });
  });

  test("another workspace sees nothing of them", async ({ workspace: one, other: two }) => {
    const { whatsappMessageId: id } = await sentMessage(one);
    await report(one, { id, status: "delivered" });
    await expect.poll(() => countsOf(one), WITHIN_10_S).toEqual({ status: 1 });
    expect(await countsOf(two)).toEqual({});
  });

  test("the lag is reported once there are twenty events, and dashes before", async ({ workspace }) => {
    expect(await pageOf(workspace)).toContain("p50 – · p95 –");
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    await sql`
        insert into webhook_hours (workspace_id, phone_number_id, hour, kind, bucket, count)
        values (${workspace.workspaceId}, ${workspace.phoneNumberId}, ${hour}, 'status', 40, 20)`;
    expect(await pageOf(workspace)).toContain("p50 940 ms · p95 940 ms");
  });
});

describe("notices", () => {
  test("a bad signature counts within 10 s, with its time, its body's digest and a hint", async ({ workspace }) => {
    const body = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]));
    const answer = await postWebhook(body, { "x-hub-signature-256": signatureOf(body, "a wrong secret") });
    expect(answer.status).toBe(401);
    const digest = createHash("sha256").update(body).digest("hex").slice(0, 12);
    const reason = expect.stringMatching(/^The app secret differs/);
    const notice = { kind: "signatureRefused", body_digest: digest, reason };
    await expect.poll(() => noticesOf(workspace), WITHIN_10_S).toEqual([notice]);
    const page = await pageOf(workspace);
    expect(page).toContain("1 bad signature");
    expect(page).toContain(digest);
  });

  test("a body that was changed on its way is distinguished from a wrong secret", async ({ workspace }) => {
    const body = statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]);
    await postWebhook(JSON.stringify(body, null, 2), { "x-hub-signature-256": signatureOf(JSON.stringify(body)) });
    await expect
      .poll(async () => (await noticesOf(workspace)).map(({ reason }) => reason), WITHIN_10_S)
      .toEqual([expect.stringMatching(/^The app secret is right, but a proxy changed/)]);
  });

  test("of one number at most ten a minute are kept, from any sender", async ({ workspace }) => {
    const body = JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]));
    const wrong = signatureOf(body, "a wrong secret");
    await Promise.all(Array.from({ length: 30 }, () => postWebhook(body, { "x-hub-signature-256": wrong })));
    await expect.poll(async () => (await noticesOf(workspace)).length, WITHIN_10_S).toBeGreaterThan(0);
    // A minute may have ended in between.
    expect((await noticesOf(workspace)).length).toBeLessThanOrEqual(20);
  });

  test("a number that is no one's line is noted, and shown to no one", async ({ workspace }) => {
    const stranger = { ...workspace, whatsappPhoneNumberId: `9${workspace.whatsappPhoneNumberId}` };
    await report(stranger, { id: "wamid.X", status: "read" });
    await expect
      .poll(async () => (await noticesOf(stranger)).map(({ kind }) => kind), WITHIN_10_S)
      .toEqual(["unknownNumber"]);
    expect(await pageOf(workspace)).not.toContain(stranger.whatsappPhoneNumberId);
  });
});

describe("verification", () => {
  const verify = (token: string) => {
    const given = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": token };
    const query = new URLSearchParams(given);
    return request("GET", `${testServers().baseUrl}/api/webhooks/whatsapp?${query}`);
  };
  const expected = () => testServers().environment.WHATSAPP_VERIFY_TOKEN ?? "";

  test("another token is refused, and the page says how it differs", async ({ workspace }) => {
    expect((await verify(` ${expected()} `)).status).toBe(403);
    await expect.poll(() => pageOf(workspace), WITHIN_10_S).toMatch(/spaces around it/);
  });

  test("a good one is shown as verified", async ({ workspace }) => {
    expect((await verify(expected())).text).toBe("1158201444");
    await expect.poll(() => pageOf(workspace), WITHIN_10_S).toContain("Verified");
  });

  test("the verify token is shown to owners and admins, and to no member", async ({ workspace }) => {
    expect(await pageOf(workspace, workspace.admin)).toContain(expected());
    expect(await pageOf(workspace, workspace.member)).not.toContain(expected());
  });
});

describe("status webhooks that have stopped", () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

  /** A message that was accepted some minutes ago, of which no status has come since. */
  const waitingSince = async (workspace: TestWorkspace, minutes: number) => {
    const { id } = await sentMessage(workspace);
    await sql`
        update messages set created_at = ${ago(minutes)}, sent_at = ${ago(minutes)}
        where workspace_id = ${workspace.workspaceId} and id = ${id}`;
  };
  const heard = (workspace: TestWorkspace, minutes: number) =>
    sql`update phone_numbers set last_webhook_at = ${ago(minutes)} where id = ${workspace.phoneNumberId}`;
  const SILENT = /no status webhook for .* while \d+ sends? waits? for one/;

  test("are named within a quarter of an hour, with how many sends wait", async ({ workspace }) => {
    await heard(workspace, 30);
    for (const minutes of [12, 11]) await waitingSince(workspace, minutes);
    expect(await pageOf(workspace)).toMatch(/no status webhook for 12 min while 2 sends wait/);
  });

  test.for<[string, (workspace: TestWorkspace) => Promise<unknown>]>([
    ["without a send", (workspace) => heard(workspace, 600)],
    ["just after a send", (workspace) => waitingSince(workspace, 5)],
    [
      "where other webhooks of the line still come",
      async (workspace) => {
        await waitingSince(workspace, 30);
        await heard(workspace, 1);
      },
    ],
    ["for a send of long ago", (workspace) => waitingSince(workspace, 2_000)],
  ])("are not made up %s", async ([_, prepare], { workspace }) => {
    await prepare(workspace);
    expect(await pageOf(workspace)).not.toMatch(SILENT);
  });
});
