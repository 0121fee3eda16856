import { describe, expect, test } from "vitest";
import { signatureHint } from "@/lib/incoming/note-webhook";
import { sign } from "@/lib/whatsapp/webhook-signature";

const SECRET = "the app's own secret, long enough";
const bytes = (text: string) => Buffer.from(text);
const hint = (raw: string, header: string | null) => signatureHint(bytes(raw), header, [SECRET]);

/** As WhatsApp writes and signs it: ASCII, slashes escaped. */
const SIGNED = '{"entry":[{"text":"Gr\\u00fc\\u00dfe","link":"https:\\/\\/a.example"}]}';
const header = sign(bytes(SIGNED), SECRET);

describe("a body that a proxy changed is distinguished from a wrong secret", () => {
  test.each([
    ["written out", '{"entry":[{"text":"Grüße","link":"https://a.example"}]}'],
    ["indented", JSON.stringify(JSON.parse(SIGNED), null, 2)],
    ["with a line break at its end", `${SIGNED}\n`],
  ])("%s", (_, changed) => expect(hint(changed, header)).toMatch(/^The app secret is right/));

  test("nested deeper than can be written again", () => {
    const nested = "[".repeat(30_000) + "]".repeat(30_000);
    expect(hint(nested, header)).toMatch(/^The app secret differs/);
  });

  test("not changed, but signed with another secret", () => {
    expect(hint(SIGNED, sign(bytes(SIGNED), "another secret"))).toMatch(/^The app secret differs/);
  });
});

test.each([
  [null, /^No signature/],
  ["", /not of the form/],
  ["sha1=abc", /not of the form/],
  [`sha256=${"0".repeat(64)}`, /^The app secret differs/],
])("the header %j", (given, words) => expect(hint("{", given)).toMatch(words));
