// Generated from the OpenAPI document by `npm run clients:release`. Change the API's schemas, not this file.

export type SendText = {
  /** Message type. */
  type: "text";
  /**
   * The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens and parentheses are
   * dropped. This or `contactId`.
   */
  phone?: string | null;
  /** The recipient as a contact of the workspace, by its id in the dashboard. */
  contactId?: string | null;
  /** For `text` the text. For `interactive` WhatsApp’s interactive payload as JSON text: a string, not an object. */
  content: string;
  /** In place of the header `Idempotency-Key`; where both are given, they must be equal. */
  idempotencyKey?: string | null;
  /** With `contactId`: closes the contact’s open flow sessions, those of one line where `phoneNumberId` names it. */
  revalidateFlowSession?: boolean | null;
  /** The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several lines are active. */
  phoneNumberId?: string | null;
} & ({ phone: string } | { contactId: string });

export type SendInteractive = {
  /** Message type. */
  type: "interactive";
  /**
   * The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens and parentheses are
   * dropped. This or `contactId`.
   */
  phone?: string | null;
  /** The recipient as a contact of the workspace, by its id in the dashboard. */
  contactId?: string | null;
  /** For `text` the text. For `interactive` WhatsApp’s interactive payload as JSON text: a string, not an object. */
  content: string;
  /** In place of the header `Idempotency-Key`; where both are given, they must be equal. */
  idempotencyKey?: string | null;
  /** With `contactId`: closes the contact’s open flow sessions, those of one line where `phoneNumberId` names it. */
  revalidateFlowSession?: boolean | null;
  /** The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several lines are active. */
  phoneNumberId?: string | null;
} & ({ phone: string } | { contactId: string });

export type TemplateComponentParameter = {
  /** `text`, or another type of WhatsApp’s. */
  type: string;
  /** The value, at most 160 characters. Of a link button its end only, percent-encoded. */
  text?: string;
  [more: string]: unknown;
};

export type TemplateComponentCardComponent = {
  /** `header`, `body` or `button`. */
  type: string;
  [more: string]: unknown;
};

export type TemplateComponentCard = {
  /** Which card, counted from 0. */
  card_index: number;
  /** The card’s own parts, in the same form. */
  components: TemplateComponentCardComponent[];
  [more: string]: unknown;
};

export type TemplateComponent = {
  /** `body`, `button` or `carousel`; `header` and WhatsApp’s other types are passed on, too. */
  type: string;
  /** Required for a button: `url` for a link. */
  sub_type?: string;
  /** Required for a button: its index on the template, from 0 to 9. */
  index?: string | number;
  /** One item for each value. */
  parameters?: TemplateComponentParameter[];
  /** Required for a carousel: one item for each card. */
  cards?: TemplateComponentCard[];
  [more: string]: unknown;
};

export type CarouselCardButtonValueParametersText = {
  /** Always `text`. */
  type: "text";
  /** The value itself. */
  text: string;
};

export type CarouselCardButtonValueParametersPayload = {
  type: "payload";
  payload: string;
};

export type CarouselCardButtonValue = {
  /** Which button of the card, counted from 0. */
  index: number;
  /** `url`, `copy_code`, `quick_reply`, `catalog` or `mpm`. */
  sub_type: string;
  /** The value. For a URL button: only the variable end of its URL, not the whole. */
  parameters: CarouselCardButtonValueParametersText | CarouselCardButtonValueParametersPayload;
};

export type CarouselCardHeader = {
  /** What the template’s cards have: WhatsApp’s have a picture or a video. */
  format: "image" | "video" | "document";
  /** A public address; what it leads to is uploaded to WhatsApp before the send. */
  link?: string | null;
  /** In place of `link`: the id of media that was uploaded to WhatsApp before. */
  id?: string | null;
};

export type CarouselCard = {
  /** Which card, counted from 0. */
  index: number;
  /**
   * The card’s text, by number or by name. A key that matches a placeholder’s name fills it; other keys fill the
   * remaining placeholders in order.
   */
  bodyValues?: Record<string, string> | null;
  /** Values of the buttons that take one. */
  buttonValues?: CarouselCardButtonValue[] | null;
  /** The picture or video above the text. */
  header?: CarouselCardHeader | null;
};

/** The cards of a carousel template, by themselves. */
export type Carousel = {
  /** One item for each card of the template. */
  cards: CarouselCard[];
};

export type SendTemplate = {
  /** Message type. */
  type: "template";
  /**
   * The recipient: country code and digits, 7 to 15 of them. A leading `+`, spaces, dots, hyphens and parentheses are
   * dropped. This or `contactId`.
   */
  phone?: string | null;
  /** The recipient as a contact of the workspace, by its id in the dashboard. */
  contactId?: string | null;
  /** The name of an approved template. */
  templateName: string;
  /**
   * Its language code, such as `en_US`. Needed where the name is approved in several. `en` finds `en_US` where that is
   * the only approved English one.
   */
  templateLanguage?: string | null;
  /**
   * The category that you expect the template to have. Where WhatsApp has put it into another since, the send is
   * refused before it costs more.
   */
  expectCategory?: "UTILITY" | "MARKETING" | "AUTHENTICATION" | null;
  /**
   * A value for each key that the template’s record lists in `variables` as required, and for one key of each `oneOf`;
   * `{}` where there is none. At most 160 characters each.
   */
  templateVariables?: Record<string, string> | null;
  /**
   * WhatsApp’s own components, passed on unchanged, in place of every other way to fill. `templateLanguage` must then
   * be exact, and a card’s picture goes by the id of uploaded media.
   */
  templateComponents?: TemplateComponent[] | null;
  /**
   * Values of the main text by number or name. They take precedence over `templateVariables` there; a link that has the
   * same key keeps its own.
   */
  bodyParameters?: Record<string, string> | null;
  /** The cards of a carousel template, by themselves. */
  carousel?: Carousel | null;
  /** In place of the header `Idempotency-Key`; where both are given, they must be equal. */
  idempotencyKey?: string | null;
  /** With `contactId`: closes the contact’s open flow sessions, those of one line where `phoneNumberId` names it. */
  revalidateFlowSession?: boolean | null;
  /** The line that sends, by our id (`pn_…`), not WhatsApp’s numeric one. Needed once several lines are active. */
  phoneNumberId?: string | null;
} & ({ phone: string } | { contactId: string });

export type TemplateFilter = {
  /** Templates of this name only. */
  name?: string;
  /** Templates in this language only, such as `en_US`. */
  language?: string;
  /** `UTILITY`, `MARKETING` or `AUTHENTICATION` only. */
  category?: string;
  /** Templates of this line’s business account only. */
  phoneNumberId?: string;
};

export type SendRequest = SendText | SendInteractive | SendTemplate;
