import type { SandboxTemplate } from "./template-layout";

/** The business account of the fixtures. */
export const FIXTURE_BUSINESS_ACCOUNT_ID = "100000000000001";

type Fixture = Pick<SandboxTemplate, "id" | "name" | "components"> & Partial<SandboxTemplate>;

const fixture = (template: Fixture): SandboxTemplate => ({
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  sub_category: "CUSTOM",
  parameter_format: "POSITIONAL",
  rejected_reason: "NONE",
  quality_score: { score: "GREEN", date: 1_760_000_000 },
  ...template,
});

const body = (text: string, ...examples: string[]) => ({
  type: "BODY",
  text,
  ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}),
});

const imageHeader = (name: string) => ({
  type: "HEADER",
  format: "IMAGE",
  example: { header_handle: [`https://scontent.example/${name}.jpg`] },
});

const buttons = (...list: Record<string, unknown>[]) => ({ type: "BUTTONS", buttons: list });

const urlButton = (text: string, address: string, example: string) => ({
  type: "URL",
  text,
  url: `${address}{{1}}`,
  example: [`${address}${example}`],
});

const card = (name: string, discount: string) => ({
  components: [
    imageHeader(name),
    body("Today {{1}} off on this one.", discount),
    buttons(urlButton("See it", "https://shop.example/p/", name)),
  ],
});

/** Templates for demos and tests, one per template feature, in the format of WhatsApp's list. */
export const FIXTURE_TEMPLATES: readonly SandboxTemplate[] = [
  fixture({
    id: "100000000001001",
    name: "order_ready",
    components: [
      body("Hi {{1}}, your order {{2}} is ready.", "Ana", "A-42"),
      buttons(urlButton("View order", "https://shop.example/o/", "Ana")),
    ],
  }),
  fixture({
    id: "100000000001002",
    name: "order_ready",
    language: "de",
    components: [
      body("Hallo {{1}}, deine Bestellung {{2}} ist bereit für dich.", "Jürgen", "A-42"),
      buttons(urlButton("Bestellung ansehen", "https://shop.example/o/", "Ana")),
    ],
  }),
  fixture({
    id: "100000000001003",
    name: "hello_world",
    components: [
      { type: "HEADER", format: "TEXT", text: "Hello World" },
      body("Welcome! This message has no variables."),
      { type: "FOOTER", text: "Sandbox Shop" },
    ],
  }),
  fixture({
    id: "100000000001004",
    name: "test_text",
    components: [
      { type: "HEADER", format: "TEXT", text: "News for {{1}}", example: { header_text: ["Ana"] } },
      body("Hello {{1}}, this is a test of a plain text.", "Ana"),
      { type: "FOOTER", text: "Sandbox Shop" },
    ],
  }),
  fixture({
    id: "100000000001005",
    name: "test_buttons",
    components: [
      body("Does {{1}} suit you for your appointment?", "Monday, 9:00"),
      buttons(
        { type: "QUICK_REPLY", text: "Yes" },
        { type: "QUICK_REPLY", text: "Another day" },
        { type: "QUICK_REPLY", text: "Cancel it" },
      ),
    ],
  }),
  fixture({
    id: "100000000001006",
    name: "test_copy_code",
    category: "MARKETING",
    components: [
      body("Here is your discount of {{1}} for today.", "25 %"),
      buttons({ type: "COPY_CODE", text: "Copy offer code", example: ["SAVE25"] }),
    ],
  }),
  fixture({
    id: "100000000001007",
    name: "test_catalog",
    category: "MARKETING",
    components: [
      body("Hi {{1}}, have a look at what is new.", "Ana"),
      buttons({ type: "CATALOG", text: "View catalog" }),
    ],
  }),
  fixture({
    id: "100000000001008",
    name: "test_carousel",
    category: "MARKETING",
    components: [
      body("Three offers for you, {{1}}, until tonight.", "Ana"),
      { type: "CAROUSEL", cards: [card("lamp", "10 %"), card("chair", "15 %"), card("table", "20 %")] },
    ],
  }),
  fixture({
    id: "100000000001009",
    name: "test_media_header",
    components: [imageHeader("receipt"), body("Hi {{1}}, this is your receipt.", "Ana")],
  }),
  fixture({
    id: "100000000001010",
    name: "test_named",
    parameter_format: "NAMED",
    components: [
      {
        type: "BODY",
        text: "Hi {{first_name}}, your order {{order_number}} is on its way.",
        example: {
          body_text_named_params: [
            { param_name: "first_name", example: "Ana" },
            { param_name: "order_number", example: "A-42" },
          ],
        },
      },
    ],
  }),
  fixture({
    id: "100000000001014",
    name: "test_one_time_code",
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", text: "*{{1}}* is your verification code.", example: { body_text: [["123456"]] } },
      buttons({
        type: "URL",
        text: "Copy code",
        url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
        example: ["https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456"],
      }),
    ],
  }),
  fixture({
    id: "100000000001015",
    name: "test_multi_product",
    category: "MARKETING",
    components: [body("Hi {{1}}, these go with your order.", "Ana"), buttons({ type: "MPM", text: "View items" })],
  }),
  fixture({
    id: "100000000001016",
    name: "test_single_product",
    category: "MARKETING",
    components: [
      { type: "HEADER", format: "PRODUCT" },
      body("Hi {{1}}, this one is back.", "Ana"),
      buttons({ type: "SPM", text: "View" }),
    ],
  }),
  fixture({
    id: "100000000001017",
    name: "test_location",
    components: [{ type: "HEADER", format: "LOCATION" }, body("Hi {{1}}, collect your order here.", "Ana")],
  }),
  fixture({
    id: "100000000001018",
    name: "test_limited_offer",
    category: "MARKETING",
    components: [
      imageHeader("lamp"),
      body("Hi {{1}}, here is an offer for you.", "Ana"),
      { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Ends soon", has_expiration: true } },
      buttons(
        { type: "COPY_CODE", text: "Copy offer code", example: ["SAVE25"] },
        urlButton("Shop", "https://shop.example/s/", "offer"),
      ),
    ],
  }),
  fixture({
    id: "100000000001011",
    name: "test_pending",
    status: "PENDING",
    quality_score: { score: "UNKNOWN" },
    components: [body("This template waits for its review.")],
  }),
  fixture({
    id: "100000000001012",
    name: "test_rejected",
    status: "REJECTED",
    rejected_reason: "INVALID_FORMAT",
    quality_score: { score: "UNKNOWN" },
    components: [body("This template was rejected.")],
  }),
  fixture({
    id: "100000000001013",
    name: "test_paused",
    status: "PAUSED",
    category: "MARKETING",
    quality_score: { score: "RED", date: 1_760_000_000 },
    components: [body("This template is paused.")],
  }),
];
