import { expect, test } from "vitest";
import { ByteBudget } from "@/lib/media/byte-budget";
import { fetchMedia } from "@/lib/media/safe-fetch";
import { testServers } from "../support/environment";
import { expectNothingBound, PHONE } from "../support/sends";
import { bodyOf, imageHeader, templateRecord } from "../support/template-records";
import { provisionWorkspace } from "../support/workspace";

const PICTURE = templateRecord("picture", [imageHeader, bodyOf("Look")]);
const MEBIBYTE = 1_024 * 1_024;
const LARGE_MEBIBYTES = 4.5;
/** What a process holds at once, and a little more. */
const TOO_MANY = Math.ceil(192 / LARGE_MEBIBYTES) + 1;

const large = (name: string) => `${testServers().mediaUrl}/large.png?${name}-${Date.now()}`;

test("media for which there is no room within a second is a 503 that says so, and fits when others are done", async () => {
  Object.assign(process.env, testServers().environment);
  const budget = new ByteBudget(2 * LARGE_MEBIBYTES * MEBIBYTE - 1);
  const [one, other] = [budget.hold(), budget.hold()];
  const fetchInto = (memory: typeof one, name: string) =>
    fetchMedia(large(name), { format: "image", field: "header_link", timeoutMs: 20_000, memory });
  expect((await fetchInto(one, "one")).mimeType).toBe("image/png");

  const startedAtMs = performance.now();
  await expect(fetchInto(other, "two")).rejects.toMatchObject({
    ...{ code: "SERVICE_UNAVAILABLE", status: 503, message: expect.stringContaining("Nothing was sent") },
    details: { outcome: "not_sent", retryable: true, retryAfterSeconds: 2 },
  });
  expect(performance.now() - startedAtMs).toBeGreaterThan(900);
  other.release();
  one.release();
  const bytes = (await fetchInto(budget.hold(), "three")).bytes.byteLength;
  expect(bytes).toBeGreaterThan(LARGE_MEBIBYTES * MEBIBYTE);
});

test("a send gives its memory back, also one that is refused in the end", async () => {
  const workspace = await provisionWorkspace({ templates: [PICTURE], messageLimit: 0 });
  for (let sent = 1; sent <= TOO_MANY; sent++) {
    const templateVariables = { header_link: large(`${sent}`) };
    const answer = await workspace.send({ type: "template", phone: PHONE, templateName: "picture", templateVariables });
    expect([sent, answer.status], answer.text).toEqual([sent, 402]);
  }
  await expectNothingBound(workspace);
}, 60_000);
