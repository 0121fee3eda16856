import { describe, expect, test } from "vitest";
import { testServers } from "../../support/environment";
import { cardWith, fresh, linked, media, PICTURE, picture } from "../../support/linked-pictures";
import { sharedWorkspace } from "../../support/refused-sends";
import { countMessages, expectInvalid, expectNothingBound, expectSent, PHONE, sentBodies } from "../../support/sends";
import { bodyOf, carouselRecord, templateRecord } from "../../support/template-records";
import { provisionWorkspace } from "../../support/workspace";

describe("400", () => {
  const platform = () => testServers().platformUrl;
  const refused: [title: string, link: () => string, message: string | RegExp][] = [
    ["HTTP 404", () => media(fresh("/missing")), "answered HTTP 404"],
    ["a page that calls itself a picture", () => media(fresh("/page.html")), "unknown type by its first bytes"],
    ["a PDF for a picture", () => media(fresh("/file.pdf")), "application/pdf by its first bytes"],
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
    [
      "four redirects",
      () => media([1, 2, 3, 4].reduce((to) => `/redirect?to=${encodeURIComponent(to)}`, fresh())),
      "more than 3 redirects",
    ],
    ["an inner port", () => `${platform()}/a.png`, "Only ports 80 and 443"],
    ["a cloud's metadata", () => "http://169.254.169.254/latest/meta-data", "public internet address"],
    ["a name that does not exist", () => "https://media.invalid/a.png", "could not be fetched"],
    ["credentials in the address", () => "https://user:secret@cdn.example/a.png", "user name or password"],
    ["ftp", () => "ftp://cdn.example/a.png", "not a public URL"],
  ];

  const workspace = sharedWorkspace({ templates: [PICTURE] });

  test.concurrent.for(refused)("%s: the field is named, and nothing is bound", async ([key, link, message]) => {
    const answer = await workspace().send(picture({ header_link: link() }), { "Idempotency-Key": key });
    expectInvalid(answer, { "templateVariables.header_link": message });
    expect(answer.text).not.toContain("secret");
    await expectNothingBound(workspace());
  });

  test("the key of a refused link stays free", async () => {
    for (const [key] of refused.slice(0, 2)) {
      expectSent(await workspace().send(picture({ header: "123" }), { "Idempotency-Key": key }));
    }
  });

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
    expect(await sentBodies(workspace)).toHaveLength(1);
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
