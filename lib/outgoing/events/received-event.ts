import { z } from "zod";

/** Of events about a person. */
export const contactId = z
  .string()
  .describe("Our id of the person: the same after a change of number. Sends take it in place of `phone`.");

export const lineId = z.string().describe("Our id of the line, which `phoneNumberId` of a send takes.");

/** The data of `message.received`. */
export const EventReceived = z.strictObject({
  id: z.string().describe("Our id of what the person wrote: the same in every repetition."),
  contactId,
  phoneNumberId: lineId,
  type: z
    .string()
    .describe(
      "`text`, `button`, `list`, `flow`, `call_permission_reply`, `reaction`, `location`, `contacts`, `order`, `image`, `video`, `audio`, `document`, `sticker` or `unsupported`. WhatsApp may add types.",
    ),
  text: z
    .string()
    .nullable()
    .describe(
      "What they wrote: the text, the title of the button or row, a caption, the emoji of a reaction, `accept` or `reject` of a call.",
    ),
  payload: z
    .string()
    .nullable()
    .describe(
      "The id of the button or row, or the JSON of a flow’s answer, an order, contact cards, and of every type that has no field here.",
    ),
  truncated: z
    .boolean()
    .describe("True where it is longer than 65,536 characters: `text` was cut, and JSON in `payload` was left out."),
  media: z
    .strictObject({
      type: z.string().describe("Such as `image`."),
      mimeType: z.string().describe("Such as `image/jpeg`."),
      sha256: z.string().nullable().describe("Of the file, in base64."),
      id: z.string().describe("WhatsApp’s media id. The file is not stored here."),
      fileName: z.string().nullable().describe("Of a document. The sender chose it."),
      voice: z.boolean().describe("True for a voice note."),
      animated: z.boolean().describe("True for an animated sticker."),
    })
    .nullable()
    .describe("A file that they sent, without its bytes."),
  location: z
    .strictObject({
      latitude: z.number().describe("In degrees."),
      longitude: z.number().describe("In degrees."),
      name: z.string().nullable().describe("Of the place."),
      address: z.string().nullable().describe("Of the place."),
      url: z.string().nullable().describe("Of the place."),
    })
    .nullable()
    .describe("A place that they sent."),
  context: z
    .strictObject({
      chatMessageId: z
        .string()
        .nullable()
        .describe("WhatsApp’s id of the message that they answered, yours or theirs."),
      forwarded: z.boolean().describe("True where they forwarded it from another chat."),
      frequentlyForwarded: z.boolean().describe("True where it had been forwarded many times before."),
      product: z
        .strictObject({
          catalogId: z.string().nullable().describe("WhatsApp’s id of the catalog."),
          productRetailerId: z.string().nullable().describe("Your id of the product."),
        })
        .nullable()
        .describe("The product that they ask about."),
    })
    .nullable()
    .describe("What it refers to; null for a message that stands alone."),
  referral: z
    .strictObject({
      sourceType: z.string().nullable().describe("`ad` or `post`."),
      sourceId: z.string().nullable().describe("Meta’s id of the ad or post."),
      sourceUrl: z.string().nullable().describe("Its address."),
      headline: z.string().nullable().describe("Its headline."),
      body: z.string().nullable().describe("Its text."),
      mediaType: z.string().nullable().describe("`image` or `video`."),
      imageUrl: z.string().nullable().describe("Of its picture."),
      videoUrl: z.string().nullable().describe("Of its video."),
      thumbnailUrl: z.string().nullable().describe("Of its preview."),
      clickId: z.string().nullable().describe("Meta’s id of the click, for its conversions API."),
    })
    .nullable()
    .describe("The ad or post whose button brought them here."),
  replyTo: z
    .strictObject({
      messageId: z.string().describe("Our id of it."),
      idempotencyKey: z.string().nullable().describe("The key that you sent it with; null without one."),
    })
    .nullable()
    .describe("Your message that they answered, where they answered a certain one."),
  chatMessageId: z.string().nullable().describe("WhatsApp’s id of what they wrote. It contains their number."),
  name: z.string().nullable().describe("The name that they show in WhatsApp. They choose it themselves."),
  username: z.string().nullable().describe("Their user name at WhatsApp, where they have one."),
});
