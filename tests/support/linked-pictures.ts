import { testServers } from "./environment";
import { PHONE } from "./sends";
import { bodyOf, imageHeader, templateRecord } from "./template-records";

export const PICTURE = templateRecord("picture", [imageHeader, bodyOf("Look")]);

/** The address of a path on the media host. */
export const media = (path: string): string => `${testServers().mediaUrl}${path}`;

let serial = 0;

/** A path that no other test has used. */
export const fresh = (path = "/a.png"): string => `${path}?test=${process.hrtime.bigint()}-${++serial}`;

export const picture = (header: object, more: object = {}) => ({
  type: "template",
  phone: PHONE,
  templateName: "picture",
  templateVariables: header,
  ...more,
});

export const linked = (path: string, more: object = {}) => picture({ header_link: media(path) }, more);

/** A card of the carousel whose picture is a link. */
export const cardWith = (index: number, link: string) => ({
  index,
  bodyValues: { "1": "20" },
  buttonValues: [{ index: 1, sub_type: "url", parameters: { type: "text", text: "20" } }],
  header: { format: "image", link },
});
