import { describe, expect, test } from "vitest";
import { testServers } from "../support/environment";
import {
  countMessages,
  expectError,
  expectInvalid,
  expectNothingBound,
  expectSent,
  forgetUploads,
  mediaFetches,
  PHONE,
  sentBodies,
  templateWire,
  usedUnits,
} from "../support/sends";
import {
  bodyOf,
  bodyPart,
  carouselRecord,
  imageHeader,
  imagePart,
  templateRecord,
  urlPart,
} from "../support/template-records";
import { graphError, platformRequests, provisionWorkspace, scriptPlatform } from "../support/workspace";

const PICTURE = templateRecord("picture", [imageHeader, bodyOf("Look")]);
const media = (path: string) => `${testServers().mediaUrl}${path}`;
let serial = 0;
/** An address that no other test has used. */
const fresh = (path = "/a.png") => `${path}?test=${Date.now()}-${++serial}`;

const picture = (header: object, more: object = {}) => ({
  type: "template",
  phone: PHONE,
  templateName: "picture",
  templateVariables: header,
  ...more,
});
const linked = (path: string, more: object = {}) => picture({ header_link: media(path) }, more);

const uploads = (whatsappPhoneNumberId: string) => platformRequests(whatsappPhoneNumberId, "media");

describe("201", () => {
  test("a link is fetched once, uploaded through the line, and its media id goes out", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const path = fresh();
    await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [{ json: { id: "7790001" } }]);
    const answer = await workspace.send(linked(path));
    expectSent(answer);
    const [upload, ...more] = await uploads(workspace.whatsappPhoneNumberId);
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
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      templateWire(answer, "picture", [imagePart("7790001")]),
    ]);
  });

  test("a second send of the same link on the same line fetches and uploads nothing, until the ten minutes are over", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const path = fresh();
    for (let send = 1; send <= 3; send++) expectSent(await workspace.send(linked(path)));
    expect(await mediaFetches(path)).toBe(1);
    expect(await uploads(workspace.whatsappPhoneNumberId)).toHaveLength(1);
    expect(new Set((await sentBodies(workspace.whatsappPhoneNumberId)).map(mediaIdOf)).size).toBe(1);
    await forgetUploads(workspace);
    expectSent(await workspace.send(linked(path)));
    expect(await uploads(workspace.whatsappPhoneNumberId)).toHaveLength(2);
  });

  test("another line and another query upload again: an id belongs to its line and its whole address", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE], lines: [{ ref: "one" }, { ref: "two" }] });
    const path = fresh();
    const { one, two } = workspace.lines;
    expectSent(await workspace.send(linked(path, { phoneNumberId: one?.id })));
    expectSent(await workspace.send(linked(path, { phoneNumberId: two?.id })));
    expectSent(await workspace.send(linked(`${path}&v=2`, { phoneNumberId: two?.id })));
    expect(await uploads(one?.whatsappPhoneNumberId ?? "")).toHaveLength(1);
    expect(await uploads(two?.whatsappPhoneNumberId ?? "")).toHaveLength(2);
  });

  test("two cards with the same link fetch and upload once, and both show it", async () => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord()] });
    const path = fresh();
    await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [{ json: { id: "7790001" } }]);
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
    expect(await uploads(workspace.whatsappPhoneNumberId)).toHaveLength(1);
    const card = (card_index: number, value: string) => ({
      card_index,
      components: [imagePart("7790001"), bodyPart(value), urlPart(1, value)],
    });
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
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
    await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [{ json: { id: "7790001" } }]);
    const answer = await workspace.send(linked(fresh(path)));
    expectSent(answer);
    expect((await uploads(workspace.whatsappPhoneNumberId)).at(0)?.body).toContain(`\r\n\r\n${mimeType}\r\n`);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      templateWire(answer, "picture", [{ type: "header", parameters: [{ type: word, [word]: { id: "7790001" } }] }]),
    ]);
  });

  test("a numeric media id goes out as it is, and nothing is uploaded", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const answer = await workspace.send(picture({ header: "00123" }));
    expectSent(answer);
    expect(await uploads(workspace.whatsappPhoneNumberId)).toEqual([]);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([
      templateWire(answer, "picture", [imagePart("00123")]),
    ]);
  });

  test("a redirect that stays with a vouched host is followed", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    expectSent(await workspace.send(linked(`/redirect?to=${encodeURIComponent(fresh())}`)));
  });

  test("a replay answers though the link is dead by now, and fetches nothing", async () => {
    const workspace = await provisionWorkspace({ templates: [PICTURE] });
    const path = fresh();
    const headers = { "Idempotency-Key": "picture-1" };
    expectSent(await workspace.send(linked(path), headers));
    await forgetUploads(workspace);
    const replay = await workspace.send(linked(path), headers);
    expect([replay.status, replay.body.data.status, replay.body.data.idempotentReplay]).toEqual([200, "SENT", true]);
    expect(await mediaFetches(path)).toBe(1);
    expect(await uploads(workspace.whatsappPhoneNumberId)).toHaveLength(1);
  });
});

describe("400", () => {
  const platform = () => testServers().platformUrl;
  const refused: [title: string, link: () => string, message: string | RegExp][] = [
    ["HTTP 404", () => media(fresh("/missing")), "answered HTTP 404"],
    ["a page that calls itself a picture", () => media(fresh("/page.html")), "unknown type by its first bytes"],
    ["a PDF for a picture", () => media(fresh("/file.pdf")), "application/pdf by its first bytes"],
    ["a video for a picture", () => media(fresh("/video.mp4")), "video/mp4 by its first bytes"],
    ["6 MB", () => media(fresh("/huge.png")), "larger than 5 MB"],
    ["an answer without end", () => media(fresh("/endless.png")), "larger than 5 MB"],
    ["a connection that breaks", () => media(fresh("/cut.png")), "could not be fetched"],
    ["silence for 8 s", () => media(fresh("/silent.png")), "within 8 s"],
    ["a redirect to a cloud's metadata", () => media(fresh("/redirect")), /redirects to.*public internet address/],
    [
      "a redirect to an inner port",
      () => media(`/redirect?to=${encodeURIComponent(`${platform()}/a.png`)}`),
      "Only ports 80 and 443",
    ],
    ["a redirect to a file", () => media("/redirect?to=file:///etc/passwd"), "neither http nor https"],
    [
      "four redirects",
      () => media([1, 2, 3, 4].reduce((to) => `/redirect?to=${encodeURIComponent(to)}`, fresh())),
      "more than 3 redirects",
    ],
    ["an inner port", () => `${platform()}/a.png`, "Only ports 80 and 443"],
    ["loopback", () => "http://127.0.0.1/a.png", "public internet address"],
    ["loopback by name", () => "http://localhost/a.png", "public internet address"],
    ["loopback as one number", () => "http://2130706433/a.png", "public internet address"],
    ["loopback in hexadecimal", () => "http://0x7f.1/a.png", "public internet address"],
    ["loopback in IPv6", () => "http://[::1]/a.png", "public internet address"],
    ["loopback mapped into IPv6", () => "http://[::ffff:127.0.0.1]/a.png", "public internet address"],
    ["a private network", () => "https://10.0.0.8/a.png", "public internet address"],
    ["a cloud's metadata", () => "http://169.254.169.254/latest/meta-data", "public internet address"],
    ["a name that does not exist", () => "https://media.invalid/a.png", "could not be fetched"],
    ["credentials in the address", () => "https://user:secret@cdn.example/a.png", "user name or password"],
    ["ftp", () => "ftp://cdn.example/a.png", "not a public URL"],
    ["a path alone", () => "/a.png", "not a public URL"],
    ["spaces", () => " https://cdn.example/a.png", "not a public URL"],
    ["nothing", () => "", "not a public URL"],
  ];

  test.concurrent.for(refused)(
    "%s: the field is named, nothing is bound, the key stays free",
    async ([, link, message]) => {
      const workspace = await provisionWorkspace({ templates: [PICTURE] });
      const headers = { "Idempotency-Key": "picture-1" };
      const answer = await workspace.send(picture({ header_link: link() }), headers);
      expectInvalid(answer, { "templateVariables.header_link": message });
      expect(answer.text).not.toContain("secret");
      await expectNothingBound(workspace);
      expectSent(await workspace.send(picture({ header: "123" }), headers));
    },
  );

  test("a card's link is named as the caller wrote it, in both forms", async () => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord()] });
    const answer = await workspace.send({
      type: "template",
      phone: PHONE,
      templateName: "summer_offers",
      templateVariables: { "1": "Ana", c1_1: "20", c1_header_link: media(fresh()) },
      carousel: { cards: [cardWith(0, media(fresh("/missing"))), { index: 1 }] },
    });
    expectInvalid(answer, { "carousel.cards[0].header.link": "answered HTTP 404" });
    await expectNothingBound(workspace);
  });

  test("a link that was sent as a video is not thereby a picture", async () => {
    const film = templateRecord("film", [{ type: "HEADER", format: "VIDEO" }, bodyOf("Look")]);
    const workspace = await provisionWorkspace({ templates: [PICTURE, film] });
    const path = fresh("/video.mp4");
    expectSent(await workspace.send(linked(path, { templateName: "film" })));
    expectInvalid(await workspace.send(linked(path)), {
      "templateVariables.header_link": "video/mp4 by its first bytes",
    });
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
    expect(await countMessages(workspace)).toBe(1);
  });

  test("two dead links are both named", async () => {
    const workspace = await provisionWorkspace({ templates: [carouselRecord()] });
    const answer = await workspace.send({
      type: "template",
      phone: PHONE,
      templateName: "summer_offers",
      templateVariables: {
        "1": "Ana",
        c0_1: "10",
        c0_header_link: media(fresh("/missing")),
        c1_1: "20",
        c1_header_link: media(fresh("/page.html")),
      },
    });
    expectInvalid(answer, {
      "templateVariables.c0_header_link": "answered HTTP 404",
      "templateVariables.c1_header_link": "unknown type",
    });
    await expectNothingBound(workspace);
  });
});

describe("502", () => {
  const failures: [
    title: string,
    script: Parameters<typeof scriptPlatform>[2][number],
    reason: RegExp,
    hasCode: boolean,
  ][] = [
    ["refused", graphError(131053, "Media upload error"), /131053: Media upload error/, true],
    ["refused for a dead token", { ...graphError(190, "Expired"), status: 401 }, /190: Expired/, true],
    ["answered without an id", { json: {} }, /HTTP 200/, false],
    ["cut off", { hangUp: "before" }, /connection broke/, false],
    ["silent", { delayMs: 5_000 }, /within 4000 ms/, false],
  ];

  test.concurrent.for(failures)(
    "an upload that is %s: not_sent, and the same key sends later",
    async ([, script, reason, hasCode]) => {
      const workspace = await provisionWorkspace({ templates: [PICTURE] });
      const path = fresh();
      const headers = { "Idempotency-Key": "picture-1" };
      await scriptPlatform(workspace.whatsappPhoneNumberId, "media", [script]);
      const answer = await workspace.send(linked(path), headers);
      const { messageId } = answer.body.details;
      expectError(answer, {
        status: 502,
        error: "CHAT_GRAPH_ERROR",
        message: expect.stringMatching(reason),
        details: {
          messageId: expect.stringMatching(/^msg_/),
          outcome: "not_sent",
          retryable: true,
          ...(hasCode ? { platform: expect.objectContaining({ fbtraceId: "Atrace" }) } : {}),
        },
      });
      expect(answer.body.message).toContain("templateVariables.header_link");
      expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([]);
      expect(await usedUnits(workspace)).toBe(0);
      const status = await workspace.status(messageId ?? "");
      expect([status.status, status.body.data.status]).toEqual([200, "FAILED"]);
      expect(status.body.data.failureReason).toMatch(reason);

      const retry = await workspace.send(linked(path), headers);
      expectSent(retry);
      expect(retry.body.data.id).toBe(messageId);
      expect(await sentBodies(workspace.whatsappPhoneNumberId)).toHaveLength(1);
      expect([await countMessages(workspace), await usedUnits(workspace)]).toEqual([1, 1]);
    },
  );
});

const cardWith = (index: number, link: string) => ({
  index,
  bodyValues: { "1": "20" },
  buttonValues: [{ index: 1, sub_type: "url", parameters: { type: "text", text: "20" } }],
  header: { format: "image", link },
});

const mediaIdOf = (body: string): unknown => JSON.parse(body).template.components[0].parameters[0].image.id;
