import type { SandboxTemplate } from "./template-layout";

/** The business account of the fixtures. */
export const FIXTURE_BUSINESS_ACCOUNT_ID = "100000000000001";

const fixture = (place: number, name: string, components: Record<string, unknown>[]): SandboxTemplate => ({
  id: String(100_000_000_001_000 + place),
  name,
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  sub_category: "CUSTOM",
  parameter_format: "POSITIONAL",
  rejected_reason: "NONE",
  quality_score: { score: "GREEN", date: 1_760_000_000 },
  components,
});

const marketing = (...given: Parameters<typeof fixture>) => ({ ...fixture(...given), category: "MARKETING" });

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
    // The link of a card shares the body's key, and so its value.
    body(`Our {{1}} is ${discount} off today.`, name),
    buttons(urlButton("See it", "https://shop.example/p/", name)),
  ],
});

/** Templates for demos and tests, one per template feature, in the format of WhatsApp's list. */
export const FIXTURE_TEMPLATES: readonly SandboxTemplate[] = [
  fixture(1, "order_ready", [
    body("Hi {{1}}, your order {{2}} is ready.", "Ana", "A-42"),
    buttons(urlButton("View order", "https://shop.example/o/", "A-42")),
  ]),
  {
    ...fixture(2, "order_ready", [
      body("Hallo {{1}}, deine Bestellung {{2}} ist bereit für dich.", "Jürgen", "A-42"),
      buttons(urlButton("Bestellung ansehen", "https://shop.example/o/", "A-42")),
    ]),
    language: "de",
  },
  fixture(3, "hello_world", [
    { type: "HEADER", format: "TEXT", text: "Hello World" },
    body("Welcome! This message has no variables."),
    { type: "FOOTER", text: "Sandbox Shop" },
  ]),
  fixture(4, "test_text", [
    { type: "HEADER", format: "TEXT", text: "News for {{1}}", example: { header_text: ["Ana"] } },
    body("Hello {{1}}, this is a test of a plain text.", "Ana"),
    { type: "FOOTER", text: "Sandbox Shop" },
  ]),
  fixture(5, "test_buttons", [
    body("Does {{1}} suit you for your appointment?", "Monday, 9:00"),
    buttons(
      { type: "QUICK_REPLY", text: "Yes" },
      { type: "QUICK_REPLY", text: "Another day" },
      { type: "QUICK_REPLY", text: "Cancel it" },
    ),
  ]),
  marketing(6, "test_copy_code", [
    body("Here is your discount of {{1}} for today.", "25 %"),
    buttons({ type: "COPY_CODE", text: "Copy offer code", example: ["SAVE25"] }),
  ]),
  marketing(7, "test_catalog", [
    body("Hi {{1}}, have a look at what is new.", "Ana"),
    buttons({ type: "CATALOG", text: "View catalog" }),
  ]),
  marketing(8, "test_carousel", [
    body("Three offers for you, {{1}}, until tonight.", "Ana"),
    { type: "CAROUSEL", cards: [card("lamp", "10 %"), card("chair", "15 %"), card("table", "20 %")] },
  ]),
  fixture(9, "test_media_header", [imageHeader("receipt"), body("Hi {{1}}, this is your receipt.", "Ana")]),
  {
    ...fixture(10, "test_named", [
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
    ]),
    parameter_format: "NAMED",
  },
  {
    ...fixture(14, "test_one_time_code", [
      { type: "BODY", text: "*{{1}}* is your verification code.", example: { body_text: [["123456"]] } },
      buttons({
        type: "URL",
        text: "Copy code",
        url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
        example: ["https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456"],
      }),
    ]),
    category: "AUTHENTICATION",
  },
  marketing(15, "test_multi_product", [
    body("Hi {{1}}, these go with your order.", "Ana"),
    buttons({ type: "MPM", text: "View items" }),
  ]),
  marketing(16, "test_single_product", [
    { type: "HEADER", format: "PRODUCT" },
    body("Hi {{1}}, this one is back.", "Ana"),
    buttons({ type: "SPM", text: "View" }),
  ]),
  fixture(17, "test_location", [
    { type: "HEADER", format: "LOCATION" },
    body("Hi {{1}}, collect your order here.", "Ana"),
  ]),
  marketing(18, "test_limited_offer", [
    imageHeader("lamp"),
    body("Hi {{1}}, here is an offer for you.", "Ana"),
    { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Ends soon", has_expiration: true } },
    buttons(
      { type: "COPY_CODE", text: "Copy offer code", example: ["SAVE25"] },
      urlButton("Shop", "https://shop.example/s/", "offer"),
    ),
  ]),
  {
    ...fixture(11, "test_pending", [body("This template waits for its review.")]),
    status: "PENDING",
    quality_score: { score: "UNKNOWN" },
  },
  {
    ...fixture(12, "test_rejected", [body("This template was rejected.")]),
    status: "REJECTED",
    rejected_reason: "INVALID_FORMAT",
    quality_score: { score: "UNKNOWN" },
  },
  {
    ...marketing(13, "test_paused", [body("This template is paused.")]),
    status: "PAUSED",
    quality_score: { score: "RED", date: 1_760_000_000 },
  },
];

/** Returns the same with sample media of this deployment in place of links that are not served. */
export function fixturesOf(origin: string): SandboxTemplate[] {
  return JSON.parse(
    JSON.stringify(FIXTURE_TEMPLATES).replace(/https:\/\/scontent\.example\/(\w+)\.jpg/g, `${origin}/samples/$1.png`),
  );
}
