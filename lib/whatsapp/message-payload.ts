type GraphObject = Record<string, unknown>;

/**
 * Builds the body of `POST /{phone number id}/messages`; `messageId` is ours and is returned in every
 * status. Throws on a media link, which must have been replaced by a media id.
 */
export function toGraphMessage(message: OutboundMessage, { messageId }: { messageId: string }): GraphObject {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    // Without the plus sign, WhatsApp may prepend the line's own country code.
    ...(/^\d+$/.test(message.to) ? { to: `+${message.to}` } : { recipient: message.to }),
    ...payload(message),
    biz_opaque_callback_data: messageId,
  };
}

function payload(message: OutboundMessage): GraphObject {
  switch (message.type) {
    case "text":
      return { type: "text", text: { preview_url: false, body: message.text } };
    case "interactive":
      return { type: "interactive", interactive: message.interactive };
    case "template": {
      const { name, language, components } = message;
      return { type: "template", template: { name, language: { code: language }, ...templateComponents(components) } };
    }
  }
}

function templateComponents(components: { built: TemplateComponent[] } | { given: unknown[] }): GraphObject {
  if ("given" in components) return { components: components.given };
  if (components.built.length === 0) return {};
  return { components: toGraphComponents(components.built, { links: "uploaded" }) };
}

/** Our own sends must not contain links; with the caller's own components, WhatsApp may fetch one. */
type Links = { links: "uploaded" | "kept" };

/** Builds template components in WhatsApp's format, which is also that of `templateComponents`. */
export function toGraphComponents(components: TemplateComponent[], links: Links): GraphObject[] {
  return components.map((component) =>
    component.type === "carousel"
      ? {
          type: "carousel",
          cards: component.cards.map((card) => ({
            card_index: card.index,
            components: card.components.map((part) => cardComponent(part, links)),
          })),
        }
      : cardComponent(component, links),
  );
}

function cardComponent(component: CardComponent, links: Links): GraphObject {
  switch (component.type) {
    case "header":
      return { type: "header", parameters: [headerParameter(component.parameter, links)] };
    case "body":
      return { type: "body", parameters: component.parameters.map(textParameter) };
    case "limitedTimeOffer": {
      const type = "limited_time_offer";
      return { type, parameters: [{ type, [type]: { expiration_time_ms: component.expiresAtMs } }] };
    }
    case "button": {
      const [sub_type, parameter] = button(component.parameter);
      return { type: "button", sub_type, index: String(component.index), parameters: [parameter] };
    }
  }
}

function headerParameter(parameter: HeaderParameter, { links }: Links): GraphObject {
  switch (parameter.kind) {
    case "text":
      return textParameter(parameter.parameter);
    case "media":
      return { type: parameter.format, [parameter.format]: mediaObject(parameter) };
    case "link":
      if (links === "kept") return { type: parameter.format, [parameter.format]: { link: parameter.link } };
      throw new Error(`The media of ${parameter.field} was not uploaded before the message was written.`);
    case "location": {
      const { kind: _, ...location } = parameter;
      return { type: "location", location };
    }
    case "product": {
      const product = { product_retailer_id: parameter.productRetailerId, catalog_id: parameter.catalogId };
      return { type: "product", product };
    }
  }
}

/** Without a file name, WhatsApp shows a document as untitled. */
const mediaObject = ({ whatsappMediaId, fileName }: Extract<HeaderParameter, { kind: "media" }>): GraphObject => ({
  id: whatsappMediaId,
  ...(fileName ? { filename: fileName } : {}),
});

const textParameter = ({ text, name }: TextParameter): GraphObject =>
  name === undefined ? { type: "text", text } : { type: "text", parameter_name: name, text };

/** WhatsApp's word for a kind of button, and its parameter. */
function button(parameter: ButtonParameter): [subType: string, parameter: GraphObject] {
  switch (parameter.kind) {
    case "url":
      return ["url", { type: "text", text: parameter.suffix }];
    case "quickReply":
      return ["quick_reply", { type: "payload", payload: parameter.payload }];
    case "copyCode":
      return ["copy_code", { type: "coupon_code", coupon_code: parameter.code }];
    case "catalog":
      return ["catalog", action({ thumbnail_product_retailer_id: parameter.productRetailerId })];
    case "multiProduct":
      return ["mpm", action(oneItem(parameter.productRetailerId))];
    case "flow":
      // WhatsApp's default, set explicitly because its guides never show the component without it.
      return ["flow", action({ flow_token: "unused" })];
  }
}

const action = (content: GraphObject): GraphObject => ({ type: "action", action: content });

/** A multi-product button is refused without sections, so the thumbnail's product becomes the only one. */
const oneItem = (productRetailerId: string): GraphObject => ({
  thumbnail_product_retailer_id: productRetailerId,
  sections: [{ title: "Items", product_items: [{ product_retailer_id: productRetailerId }] }],
});

/**
 * An outgoing message in our format; `lib/whatsapp/message-payload` converts it to WhatsApp's. `to` is digits,
 * or the user id of a person who shows no number.
 */
export type OutboundMessage = { to: string } & (
  | { type: "text"; text: string }
  | { type: "interactive"; interactive: Record<string, unknown> }
  | {
      type: "template";
      name: string;
      language: string;
      /** Built by us from the stored template, or the caller's own, forwarded unchanged. */
      components: { built: TemplateComponent[] } | { given: unknown[] };
    }
);

export type MediaFormat = "image" | "video" | "document";

export type TextParameter = {
  text: string;
  /** Set only for templates with named parameters. */
  name?: string;
};

export type HeaderParameter =
  | { kind: "text"; parameter: TextParameter }
  /** `fileName` is set only for an uploaded document. */
  | { kind: "media"; format: MediaFormat; whatsappMediaId: string; fileName?: string | null }
  /** A public URL, replaced by a media id before the send. `field` is its path in the request. */
  | { kind: "link"; format: MediaFormat; link: string; field: string }
  | { kind: "location"; latitude: string; longitude: string; name: string; address: string }
  | { kind: "product"; productRetailerId: string; catalogId: string };

export type ButtonParameter =
  | { kind: "url"; suffix: string }
  | { kind: "quickReply"; payload: string }
  | { kind: "copyCode"; code: string }
  | { kind: "catalog"; productRetailerId: string }
  | { kind: "multiProduct"; productRetailerId: string }
  | { kind: "flow" };

export type CardComponent =
  | { type: "header"; parameter: HeaderParameter }
  | { type: "body"; parameters: TextParameter[] }
  /** Only on the message itself, not on a card. */
  | { type: "limitedTimeOffer"; expiresAtMs: number }
  /** `index` is the button's position among the template's (or card's) buttons, from 0. */
  | { type: "button"; index: number; parameter: ButtonParameter };

export type TemplateComponent =
  | CardComponent
  | { type: "carousel"; cards: { index: number; components: CardComponent[] }[] };
