import { PHONE } from "./sends";

/** A send of the carousel; a test adds its variables and cards. */
export const send = (more: object) => ({ type: "template", phone: PHONE, templateName: "summer_offers", ...more });

export const MAIN = { templateVariables: { "1": "Ana" } };

export const urlValue = (index: number, text: string) => ({
  index,
  sub_type: "url",
  parameters: { type: "text", text },
});

export const imageId = (id: string) => ({ format: "image", id });

export const card = (index: number, more: object = {}) => ({
  index,
  bodyValues: { "1": `${index}0 %` },
  buttonValues: [urlValue(1, `p/${index}`)],
  header: imageId(`77${index}`),
  ...more,
});
