import { expect, test } from "vitest";
import { Budget } from "@/lib/core/budget";
import { provenWorkspaceId } from "@/lib/core/principal";
import { takeMediaShare } from "@/lib/media/media-share";
import { fetchMedia } from "@/lib/media/safe-fetch";
import { createTemplate } from "@/lib/templates/create-template";
import { command } from "@/lib/workspaces/record-audit";
import { testServers } from "../../support/environment";
import { expectNothingBound, PHONE } from "../../support/sends";
import { bodyOf, imageHeader, templateRecord } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

const PICTURE = templateRecord("picture", [imageHeader, bodyOf("Look")]);
const MEBIBYTE = 1_024 * 1_024;
const LARGE_MEBIBYTES = 4.5;
/** What a workspace holds at once, and a little more. */
const TOO_MANY = Math.ceil(160 / LARGE_MEBIBYTES) + 1;

const large = (name: string) => `${testServers().mediaUrl}/large.png?${name}-${Date.now()}`;

const BUSY = {
  code: "SERVICE_UNAVAILABLE",
  status: 503,
  details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 2 },
};

test("media for which there is no room within a second is a 503 that says so, and fits when others are done", async () => {
  Object.assign(process.env, testServers().environment);
  const one = LARGE_MEBIBYTES * MEBIBYTE;
  const budgets = {
    places: new Budget({ inAll: 10, each: 10 }),
    memory: new Budget({ inAll: 3 * one - 1, each: 2 * one - 1 }),
  };
  const shareOf = (workspace: string) => takeMediaShare(provenWorkspaceId(workspace), "Nothing was sent.", budgets);
  const fetchInto = (share: ReturnType<typeof shareOf>, name: string) =>
    fetchMedia(large(name), { format: "image", field: "header_link", timeoutMs: 20_000, share });
  const [first, second, neighbour, third] = [shareOf("ws_a"), shareOf("ws_a"), shareOf("ws_b"), shareOf("ws_c")];
  expect((await fetchInto(first, "first")).mimeType).toBe("image/png");

  const startedAtMs = performance.now();
  await expect(fetchInto(second, "second")).rejects.toMatchObject({
    ...BUSY,
    message: expect.stringMatching(/^This workspace already holds .* Nothing was sent/),
  });
  expect(performance.now() - startedAtMs).toBeGreaterThan(900);
  second.release();
  expect((await fetchInto(neighbour, "neighbour")).mimeType).toBe("image/png");
  await expect(fetchInto(third, "third")).rejects.toMatchObject({
    ...BUSY,
    message: expect.stringMatching(/^This server already holds .* Nothing was sent/),
  });
  for (const share of [first, neighbour, third]) share.release();
  const bytes = (await fetchInto(shareOf("ws_a"), "fourth")).bytes.byteLength;
  expect(bytes).toBeGreaterThan(one);
});

test("a send gives its memory back, also one that is refused in the end", async () => {
  const workspace = await provisionWorkspace({ templates: [PICTURE], messageLimit: 0 });
  for (let sent = 1; sent <= TOO_MANY; sent++) {
    const templateVariables = { header_link: large(`${sent}`) };
    const answer = await workspace.send({ type: "template", phone: PHONE, templateName: "picture", templateVariables });
    expect([sent, answer.status], answer.text).toEqual([sent, 402]);
  }
  await expectNothingBound(workspace);
});

test("the author of a template reads that nothing was created, and of no key of a message", async () => {
  const { workspaceId, phoneNumberId } = await provisionWorkspace();
  const id = provenWorkspaceId(workspaceId);
  const share = takeMediaShare(id, "");
  await share.hold(160 * MEBIBYTE);
  const header = { kind: "image", text: "", sample: large("sample") } as const;
  const text = { body: "Look at this, it is new.", samples: [], footer: "", buttons: [], cards: [] };
  const draft = { name: "picture_sale", language: "en_US", category: "UTILITY", header, ...text } as const;
  const by = command("test");
  await expect(createTemplate(id, { mode: "live", phoneNumberId, draft, by })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message:
      "This workspace already holds 160 MB of linked media, the most at once. Nothing was created; try again in a few seconds.",
  });
  share.release();
});
