import { describe, expect } from "vitest";
import { cardWith, fresh, linked, media, PICTURE, picture } from "../../support/linked-pictures";
import { sql } from "../../support/rows";
import {
  countMessages,
  expectError,
  expectSent,
  forgetUploads,
  KEY,
  mediaFetches,
  PHONE,
  sentBodies,
  templateWire,
  usedUnits,
} from "../../support/sends";
import { bodyOf, bodyPart, carouselRecord, imagePart, templateRecord, urlPart } from "../../support/template-records";
import { testIn } from "../../support/test";
import {
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

type Script = Parameters<typeof scriptPlatform>[2][number];

const test = testIn({ templates: [PICTURE] });
const uploads = (line?: { whatsappPhoneNumberId: string }) =>
  platformRequests(line?.whatsappPhoneNumberId ?? "", "media");
const script = ({ whatsappPhoneNumberId }: TestWorkspace, ...answers: Script[]) =>
  scriptPlatform(whatsappPhoneNumberId, "media", answers);
const DOCUMENT = templateRecord("picture", [{ type: "HEADER", format: "DOCUMENT" }, bodyOf("Look")]);

describe("201", () => {
  test("a link is fetched once, uploaded through the line, and its media id goes out", async ({ workspace }) => {
    const path = fresh();
    await script(workspace, { json: { id: "7790001" } });
    const answer = await workspace.send(linked(path));
    expectSent(answer);
    const [upload, ...more] = await uploads(workspace);
    expect(more).toEqual([]);
    expect(upload?.path).toBe(`/v25.0/${workspace.whatsappPhoneNumberId}/media`);
    expect(upload?.headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer EAA/),
      "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/),
    });
    expect(upload?.body).toMatch(/name="messaging_product"\r\n\r\nwhatsapp\r\n/);
    expect(upload?.body).toMatch(/name="type"\r\n\r\nimage\/png\r\n/);
    expect(upload?.body).toMatch(/name="file"; filename="media\.png"\r\nContent-Type: image\/png\r\n/);
    expect(await mediaFetches(path)).toBe(1);
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "picture", [imagePart("7790001")])]);
  });

  test("a second send of the same link on the same line fetches and uploads nothing, until the ten minutes are over", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const path = fresh();
    for (let send = 1; send <= 3; send++) expectSent(await workspace.send(linked(path)));
    expect(await mediaFetches(path)).toBe(1);
    expect(await uploads(workspace)).toHaveLength(1);
    expect(new Set((await sentBodies(workspace)).map(mediaIdOf)).size).toBe(1);
    await forgetUploads(workspace);
    expectSent(await workspace.send(linked(path)));
    expect(await uploads(workspace)).toHaveLength(2);
  });

  test("another line and another query upload again: an id belongs to its line and its whole address", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE], lines: [{ ref: "one" }, { ref: "two" }] });
    const path = fresh();
    const { one, two } = workspace.lines;
    expectSent(await workspace.send(linked(path, { phoneNumberId: one?.id })));
    expectSent(await workspace.send(linked(path, { phoneNumberId: two?.id })));
    expectSent(await workspace.send(linked(`${path}&v=2`, { phoneNumberId: two?.id })));
    expect(await uploads(one)).toHaveLength(1);
    expect(await uploads(two)).toHaveLength(2);
  });

  test("two cards with the same link fetch and upload once, and both show it", async () => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord()] });
    const path = fresh();
    await script(workspace, { json: { id: "7790001" } });
    const link = media(path);
    const answer = await workspace.send({
      type: "template",
      phone: PHONE,
      templateName: "summer_offers",
      templateVariables: { "1": "Ana", c0_1: "10", c0_header_link: link },
      carousel: { cards: [{ index: 0 }, cardWith(1, link)] },
    });
    expectSent(answer);
    expect(await mediaFetches(path)).toBe(1);
    expect(await uploads(workspace)).toHaveLength(1);
    const card = (card_index: number, value: string) => ({
      card_index,
      components: [imagePart("7790001"), bodyPart(value), urlPart(1, value)],
    });
    expect(await sentBodies(workspace)).toEqual([
      templateWire(answer, "summer_offers", [
        bodyPart("Ana"),
        { type: "carousel", cards: [card(0, "10"), card(1, "20")] },
      ]),
    ]);
  });

  test.for([
    ["VIDEO", "/video.mp4", "video", "video/mp4"],
    ["DOCUMENT", "/file.pdf", "document", "application/pdf"],
  ] as const)("a %s header takes its own kind", async ([format, path, word, mimeType]) => {
    const template = templateRecord("picture", [{ type: "HEADER", format }, bodyOf("Look")]);
    const workspace = await provisionWorkspace({ templates: [template] });
    await script(workspace, { json: { id: "7790001" } });
    const answer = await workspace.send(linked(fresh(path)));
    expectSent(answer);
    expect((await uploads(workspace)).at(0)?.body).toContain(`\r\n\r\n${mimeType}\r\n`);
    const media = { id: "7790001", ...(word === "document" ? { filename: "file.pdf" } : {}) };
    expect(await sentBodies(workspace)).toEqual([
      templateWire(answer, "picture", [{ type: "header", parameters: [{ type: word, [word]: media }] }]),
    ]);
  });

  test.for([
    ["the name that its host gives", "/file.pdf?name=Invoice%2042.pdf&", "Invoice 42.pdf"],
    ["that name in raw UTF-8", "/file.pdf?name=Rechnung%20M%C3%A4rz.pdf&", "Rechnung März.pdf"],
    ["the last part of its path, decoded", "/file.pdf/Rechnung%20M%C3%BCller?", "Rechnung Müller.pdf"],
  ])("a document is sent with %s, again where the line holds it already", async ([, path, filename]) => {
    const workspace = await provisionWorkspace({ templates: [DOCUMENT] });
    const link = `${path}${fresh("").slice(1)}`;
    for (let send = 1; send <= 2; send++) expectSent(await workspace.send(linked(link)));
    expect(await uploads(workspace)).toHaveLength(1);
    for (const body of await sentBodies(workspace)) {
      expect(JSON.parse(body).template.components[0].parameters[0].document).toEqual({
        id: expect.stringMatching(/^\d+$/),
        filename,
      });
    }
  });

  test("a document by media id has no name: its owner gives one in templateComponents", async () => {
    const workspace = await provisionWorkspace({ templates: [DOCUMENT] });
    const part = (document: object) => ({ type: "header", parameters: [{ type: "document", document }] });
    const plain = await workspace.send(picture({ header: "00123" }));
    const named = await workspace.send({
      ...picture({}),
      templateVariables: null,
      templateComponents: [part({ id: "00123", filename: "Invoice.pdf" })],
    });
    expect(await sentBodies(workspace)).toEqual([
      templateWire(plain, "picture", [part({ id: "00123" })]),
      templateWire(named, "picture", [part({ id: "00123", filename: "Invoice.pdf" })]),
    ]);
  });

  test("a numeric media id goes out as it is, and nothing is uploaded", async ({ workspace }) => {
    const answer = await workspace.send(picture({ header: "00123" }));
    expectSent(answer);
    expect(await uploads(workspace)).toEqual([]);
    expect(await sentBodies(workspace)).toEqual([templateWire(answer, "picture", [imagePart("00123")])]);
  });

  test("a redirect that stays with a vouched host is followed", async ({ workspace }) => {
    expectSent(await workspace.send(linked(`/redirect?to=${encodeURIComponent(fresh())}`)));
  });

  test("a replay answers though the link is dead by now, and fetches nothing", async ({ workspace }) => {
    const path = fresh();
    expectSent(await workspace.send(linked(path), KEY));
    await forgetUploads(workspace);
    const replay = await workspace.send(linked(path), KEY);
    expect([replay.status, replay.body.data.status, replay.body.data.idempotentReplay]).toEqual([200, "SENT", true]);
    expect(await mediaFetches(path)).toBe(1);
    expect(await uploads(workspace)).toHaveLength(1);
  });
});

/** A refused upload as a send's refusal is answered: the field, WhatsApp's words, nothing sent, no plan unit. */
const expectRefusedUpload = async (
  uploaded: Script,
  { status, reason, details }: { status: 400 | 502; reason: RegExp; details: object },
) => {
  const workspace = await provisionWorkspace({ templates: [PICTURE] });
  const path = fresh();
  await script(workspace, uploaded);
  const answer = await workspace.send(linked(path), KEY);
  expectError(answer, {
    status,
    error: "CHAT_GRAPH_ERROR",
    message: expect.stringMatching(reason),
    details: { messageId: expect.stringMatching(/^msg_/), outcome: "not_sent", ...details },
  });
  expect(answer.body.message).toContain("templateVariables.header_link");
  expect(await sentBodies(workspace)).toEqual([]);
  expect(await usedUnits(workspace)).toBe(0);
  const row = await workspace.status(answer.body.details.messageId ?? "");
  expect([row.status, row.body.data.status]).toEqual([200, "FAILED"]);
  expect(row.body.data.failureReason).toMatch(reason);
  return { workspace, answer, again: () => workspace.send(linked(path), KEY) };
};

const platform = expect.objectContaining({ fbtraceId: "Atrace" });
const hasTokenProblem = async ({ workspaceId }: TestWorkspace) =>
  (await sql`select token_problem from phone_numbers where workspace_id = ${workspaceId}`)[0]?.token_problem !== null;

describe("400", () => {
  test("an upload that is refused with 131053 is the caller's, and its key is spent", async () => {
    const { workspace, answer, again } = await expectRefusedUpload(graphError(131053, "Media upload error"), {
      status: 400,
      reason: /131053: Media upload error/,
      details: { retryable: false, platform },
    });
    expect(answer.body.message).toMatch(/Use a new Idempotency-Key\.$/);
    const replay = await again();
    expect([replay.status, replay.body.data.id]).toEqual([200, answer.body.details.messageId]);
    expect(await uploads(workspace)).toHaveLength(1);
  });
});

describe("502", () => {
  const final = { retryable: false };
  const later = (retryAfterSeconds: number) => ({ retryable: true, retryAfterSeconds });
  const failures: [title: string, script: Script, reason: RegExp, details: object][] = [
    [
      "refused for a dead token",
      { ...graphError(190, "Expired"), status: 401 },
      /190: Expired/,
      { platform, ...final },
    ],
    ["refused without its line", graphError(100, "Gone", { error_subcode: 33 }), /100: Gone/, { platform, ...final }],
    ["throttled", graphError(130429, "Slow"), /130429: Slow/, { platform, ...later(1) }],
    ["refused for a moment", graphError(131016, "Later"), /131016: Later/, { platform, ...later(30) }],
    ["refused for no known reason", graphError(131000, "Oops"), /131000: Oops/, { platform, ...later(5) }],
    ["answered without an id", { json: {} }, /HTTP 200/, later(5)],
    ["cut off", { hangUp: "before" }, /connection broke/, later(5)],
    ["silent", { delayMs: 5_000 }, /within 4000 ms/, later(5)],
  ];

  test.concurrent.for(failures)(
    "an upload that is %s: not_sent, and the same key sends later",
    async ([title, uploaded, reason, details]) => {
      const { workspace, answer, again } = await expectRefusedUpload(uploaded, { status: 502, reason, details });
      expect(await hasTokenProblem(workspace)).toBe(title.includes("dead token"));
      const retry = await again();
      expectSent(retry);
      expect(retry.body.data.id).toBe(answer.body.details.messageId);
      expect(await sentBodies(workspace)).toHaveLength(1);
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
    },
  );

  test("five throttled uploads hold the line back as five throttled messages do", async ({ workspace }) => {
    await script(workspace, ...Array(5).fill(graphError(130429)));
    for (let send = 1; send <= 5; send++) expect((await workspace.send(linked(fresh()))).status).toBe(502);
    const held = await workspace.send(picture({ header: "123" }));
    expect([held.status, held.body.message]).toEqual([
      502,
      expect.stringContaining("WhatsApp is throttling this line"),
    ]);
    expect(await sentBodies(workspace)).toEqual([]);
  });
});

const mediaIdOf = (body: string): unknown => JSON.parse(body).template.components[0].parameters[0].image.id;
