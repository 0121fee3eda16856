import { randomInt } from "node:crypto";
import { accountWebhook } from "./webhooks";

/** A template as WhatsApp lists it, approved unless it says otherwise. */
export const templateRecord = (name: string, components: unknown[], more: Record<string, unknown> = {}) => ({
  id: `${randomInt(10 ** 13, 10 ** 14)}`,
  name,
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components,
  ...more,
});

type Event = { atSeconds?: number; reason?: string };

/** A webhook about the status of a template; the same account's if it has one. */
export const templateWebhook = (
  account: { whatsappBusinessAccountId: string },
  { id, name, language }: { id: string | number; name: string; language: string },
  event = "APPROVED",
  { atSeconds = Math.floor(Date.now() / 1_000), reason = "NONE" }: Event = {},
) => {
  const template = {
    message_template_id: Number(id),
    message_template_name: name,
    message_template_language: language,
  };
  return accountWebhook(account, "message_template_status_update", { event, ...template, reason }, atSeconds);
};

export const bodyOf = (text: string) => ({ type: "BODY", text });
export const buttonsOf = (...buttons: object[]) => ({ type: "BUTTONS", buttons });
export const urlButton = (url: string) => ({ type: "URL", text: "Open", url });
export const imageHeader = {
  type: "HEADER",
  format: "IMAGE",
  example: { header_handle: ["https://cdn.example/a.jpg"] },
};

/** Two slots, and a URL button that shares key 1 with the body. */
export const ORDER = templateRecord("order_ready", [
  bodyOf("Hi {{1}}, order {{2}} is ready."),
  buttonsOf({ type: "QUICK_REPLY", text: "Stop" }, urlButton("https://shop.example/o/{{1}}")),
]);

/** One slot in the main body; cards with a picture, a slot and a URL button each. */
export const carouselRecord = (cards = 2, cardBody = "{{1}} off", name = "summer_offers") =>
  templateRecord(
    name,
    [
      bodyOf("Hi {{1}}, look:"),
      {
        type: "CAROUSEL",
        cards: Array.from({ length: cards }, () => ({
          components: [
            imageHeader,
            bodyOf(cardBody),
            buttonsOf({ type: "QUICK_REPLY", text: "Later" }, urlButton("https://shop.example/{{1}}")),
          ],
        })),
      },
    ],
    { category: "MARKETING" },
  );

export const text = (value: string) => ({ type: "text", text: value });
export const bodyPart = (...values: string[]) => ({ type: "body", parameters: values.map(text) });
export const urlPart = (index: number, suffix: string) => ({
  type: "button",
  sub_type: "url",
  index: `${index}`,
  parameters: [text(suffix)],
});
export const imagePart = (id: string) => ({ type: "header", parameters: [{ type: "image", image: { id } }] });
