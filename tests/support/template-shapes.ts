import fc from "fast-check";
import { templateRecord } from "./template-records";

/** Every shape that a template can be stored in, by what its part holds. */

export const bodies = {
  none: [],
  fixed: [{ type: "BODY", text: "Hello there, all of you." }],
  positional: [{ type: "BODY", text: "Hi {{1}}, order {{2}} is ready.", example: { body_text: [["Ana", "A-42"]] } }],
  named: [
    {
      type: "BODY",
      text: "Hi {{first_name}}, order {{order_number}} is ready.",
      example: { body_text_named_params: [{ param_name: "first_name", example: "Ana" }] },
    },
  ],
  long: [
    {
      type: "BODY",
      text: `${"word ".repeat(26)}{{1}} and {{2}} too.`,
      example: { body_text: [["A".repeat(90), "B"]] },
    },
  ],
};

const media = (format: string) => [
  { type: "HEADER", format, example: { header_handle: ["https://scontent.example/a.jpg"] } },
];
export const headers = {
  none: [],
  fixedText: [{ type: "HEADER", format: "TEXT", text: "News" }],
  text: [{ type: "HEADER", format: "TEXT", text: "News for {{1}}", example: { header_text: ["Ana"] } }],
  namedText: [{ type: "HEADER", format: "TEXT", text: "News for {{first_name}}" }],
  longText: [
    { type: "HEADER", format: "TEXT", text: `${"news ".repeat(10)}{{1}}`, example: { header_text: ["x".repeat(40)] } },
  ],
  image: media("IMAGE"),
  video: media("VIDEO"),
  document: media("DOCUMENT"),
  location: [{ type: "HEADER", format: "LOCATION" }],
  product: [{ type: "HEADER", format: "PRODUCT" }],
};

export const buttons = {
  quickReply: { type: "QUICK_REPLY", text: "Yes" },
  link: { type: "URL", text: "Open", url: "https://shop.example/all" },
  dynamicLink: {
    type: "URL",
    text: "Track",
    url: "https://shop.example/o/{{1}}",
    example: ["https://shop.example/o/A-42"],
  },
  phone: { type: "PHONE_NUMBER", text: "Call", phone_number: "+442079460123" },
  copyCode: { type: "COPY_CODE", text: "Copy offer code", example: ["SAVE25"] },
  catalog: { type: "CATALOG", text: "View catalog" },
  multiProduct: { type: "MPM", text: "View items" },
  singleProduct: { type: "SPM", text: "View" },
  flow: { type: "FLOW", text: "Sign up", flow_id: "1", flow_action: "navigate", navigate_screen: "A" },
  voiceCall: { type: "VOICE_CALL", text: "Call" },
  codeAsCreated: { type: "OTP", otp_type: "COPY_CODE", text: "Copy code" },
  codeAsRead: {
    type: "URL",
    text: "Copy code",
    url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
    example: ["https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456"],
  },
};

const withButtons = (list: object[]) => (list.length > 0 ? [{ type: "BUTTONS", buttons: list }] : []);
const offer = (has_expiration: boolean) => ({
  type: "LIMITED_TIME_OFFER",
  limited_time_offer: { text: "Ends soon", has_expiration },
});
const carousel = (cards: object[][]) => ({ type: "CAROUSEL", cards: cards.map((components) => ({ components })) });

/** One template for each shape by name, to be stored and sent as its record. */
export const TEMPLATE_SHAPES: Record<string, unknown>[] = [
  ...Object.entries(headers).map(([name, header]) =>
    templateRecord(`header_${name.toLowerCase()}`, [...header, ...bodies.positional]),
  ),
  // The product of a single-product button is that of the header, which it always has.
  ...Object.entries(buttons)
    .filter(([, button]) => button !== buttons.singleProduct)
    .map(([name, button]) =>
      templateRecord(`button_${name.toLowerCase()}`, [...bodies.fixed, ...withButtons([button])]),
    ),
  templateRecord("named", [...headers.namedText, ...bodies.named], { parameter_format: "NAMED" }),
  templateRecord("named_unsaid", [...headers.namedText, ...bodies.named]),
  templateRecord("long_body", bodies.long),
  templateRecord("every_button", [
    ...headers.text,
    ...bodies.positional,
    ...withButtons([buttons.quickReply, buttons.dynamicLink, buttons.link, buttons.phone, buttons.copyCode]),
  ]),
  templateRecord("single_product", [...headers.product, ...bodies.positional, ...withButtons([buttons.singleProduct])]),
  templateRecord("offer", [...headers.image, ...bodies.fixed, offer(false), ...withButtons([buttons.copyCode])], {
    category: "MARKETING",
  }),
  templateRecord(
    "offer_expiring",
    [...headers.image, ...bodies.fixed, offer(true), ...withButtons([buttons.copyCode, buttons.dynamicLink])],
    { category: "MARKETING" },
  ),
  templateRecord(
    "code_as_created",
    [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 10 },
      ...withButtons([buttons.codeAsCreated]),
    ],
    { category: "AUTHENTICATION" },
  ),
  templateRecord(
    "code_one_tap",
    [
      { type: "BODY", text: "{{1}} is your code." },
      ...withButtons([{ type: "OTP", otp_type: "ONE_TAP", text: "Copy", supported_apps: [] }]),
    ],
    { category: "AUTHENTICATION" },
  ),
  templateRecord(
    "code_as_read",
    [
      { type: "BODY", text: "*{{1}}* is your verification code.", example: { body_text: [["123456"]] } },
      ...withButtons([buttons.codeAsRead]),
    ],
    { category: "AUTHENTICATION" },
  ),
  templateRecord("cards_of_media", [
    ...bodies.positional,
    carousel([0, 1].map(() => [...headers.image, ...bodies.positional, ...withButtons([buttons.dynamicLink])])),
  ]),
  templateRecord("cards_named", [
    ...bodies.fixed,
    carousel([0, 1].map(() => [...headers.video, ...bodies.named, ...withButtons([buttons.quickReply])])),
  ]),
  templateRecord("cards_full", [
    ...bodies.fixed,
    carousel([0, 1].map(() => [...headers.image, ...bodies.long, ...withButtons([buttons.copyCode])])),
  ]),
  templateRecord("cards_of_products", [
    ...bodies.fixed,
    carousel([0, 1].map(() => [...headers.product, ...withButtons([buttons.singleProduct])])),
  ]),
  templateRecord("cards_of_products_with_links", [
    ...bodies.positional,
    carousel([0, 1].map(() => [...headers.product, ...bodies.fixed, ...withButtons([buttons.dynamicLink])])),
  ]),
];

const anyHeader = fc.constantFrom(...Object.values(headers));
const anyBody = fc.constantFrom(...Object.values(bodies));
const anyButtons = fc.array(fc.constantFrom(...Object.values(buttons)), { maxLength: 4 });
// A single product is the one of the header, so WhatsApp has no such button without it.
const isWhole = ([header, , list]: [object[], object[], object[]]) =>
  !list.includes(buttons.singleProduct) || header === headers.product;
const part = fc.tuple(anyHeader, anyBody, anyButtons).filter(isWhole);
const card = fc
  .tuple(fc.constantFrom(headers.image, headers.video, headers.product), anyBody, anyButtons)
  .filter(isWhole);
const toComponents = ([header, body, list]: [object[], object[], object[]]) => [
  ...header,
  ...body,
  ...withButtons(list),
];

/** Any mixture of those parts as a stored record, of cards and offers, too. */
export const anyTemplate: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    main: part,
    cards: fc.array(card, { maxLength: 3 }),
    offer: fc.constantFrom<boolean | undefined>(undefined, true, false),
    format: fc.constantFrom("POSITIONAL", "NAMED"),
    category: fc.constantFrom("MARKETING", "UTILITY", "AUTHENTICATION"),
  })
  .map(({ main, cards, offer: isExpiring, format, category }) =>
    templateRecord(
      "any",
      [
        ...toComponents(main),
        ...(isExpiring === undefined ? [] : [offer(isExpiring)]),
        ...(cards.length > 0 ? [carousel(cards.map(toComponents))] : []),
      ],
      { parameter_format: format, category },
    ),
  );
