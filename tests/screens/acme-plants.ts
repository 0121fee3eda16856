import type { Sign } from "../support/workspace";

/** The shop whose screens are taken, as an operator would provision it. */
export const acmePlants = ({ owner, baseUrl }: { owner: Sign; baseUrl: string }) => ({
  ref: "acme-plants",
  name: "Acme Plants",
  plan: "starter",
  timeZone: "Europe/Berlin",
  members: [
    { ...owner, name: "Rosa Marin", role: "owner" },
    { email: "kim@acme-plants.example", password: "a long sentence", name: "Kim Osei", role: "admin" },
    { email: "theo@acme-plants.example", password: "a long sentence", name: "Theo Lang", role: "member" },
  ],
  phoneNumbers: [
    { ...line("orders", "Orders", "live", "+44 20 7946 0123"), isDefault: true },
    line("support", "Support", "live", "+44 20 7946 0456"),
    { ...line("wholesale", "Wholesale", "live", "+44 161 496 0789"), isActive: false },
    line("test", "Test line", "test", "+44 7700 900000"),
  ],
  templates: (["live", "test"] as const).flatMap((mode) =>
    templates(baseUrl).map((template) => ({ mode, whatsappBusinessAccountId: ACCOUNTS[mode], template })),
  ),
  contacts: PEOPLE.map(([name, phone], index) => ({ ref: `person-${index}`, phone, name })),
  apiKeys: [
    { ref: "production", label: "production", mode: "live" },
    { ref: "webshop", label: "webshop", mode: "live" },
    { ref: "old-erp", label: "old-erp", mode: "live" },
    { ref: "staging", label: "staging", mode: "test" },
    { ref: "laptop", label: "Kim's laptop", mode: "test" },
  ],
});

/** Templates that are sent, the most used first. */
export const SENT_TEMPLATES = [
  "order_shipped/en_US",
  "appointment_reminder/en_US",
  "order_shipped/de",
  "new_arrivals/en_US",
];

const ACCOUNTS = { live: "102290129340398", test: "100000000000001" };

const line = (ref: string, label: string, mode: "live" | "test", displayPhoneNumber: string) => ({
  ref,
  label,
  mode,
  displayPhoneNumber,
  accessToken: `EAA-${ref}`,
  whatsappPhoneNumberId: `1065401${displayPhoneNumber.replace(/\D/g, "").slice(-8)}`,
  whatsappBusinessAccountId: ACCOUNTS[mode],
});

const SHOP = "https://acme-plants.example";

const PEOPLE = [
  ["Ada Lovelace", "447700900126"],
  ["Grace Hopper", "447700900147"],
  ["Jürgen Klee", "491715550104"],
  ["Amina Diallo", "447700900003"],
] as const;

const body = (text: string, ...examples: string[]) => ({
  type: "BODY",
  text,
  ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}),
});
const footer = (text: string) => ({ type: "FOOTER", text });
const buttons = (...list: object[]) => ({ type: "BUTTONS", buttons: list });
const link = (text: string, address: string) => ({
  type: "URL",
  text,
  url: `${address}{{1}}`,
  example: [`${address}8812`],
});

const templates = (baseUrl: string) => {
  const picture = (name: string) => ({
    type: "HEADER",
    format: "IMAGE",
    example: { header_handle: [`${baseUrl}/samples/${name}.png`] },
  });
  const card = (name: string, text: string) => ({
    components: [picture(name), body(text, "15 %"), buttons({ type: "URL", text: "See it", url: `${SHOP}/${name}` })],
  });
  return [
    template(1, "order_shipped", [
      { type: "HEADER", format: "TEXT", text: "On its way" },
      body("Hi *{{1}}*, your order {{2}} left our greenhouse this morning.", "Ada", "8812"),
      footer("Acme Plants · reply STOP to opt out"),
      buttons(link("Track it", `${SHOP}/o/`), { type: "QUICK_REPLY", text: "Stop" }),
    ]),
    template(2, "order_shipped", [body("Hallo *{{1}}*, deine Bestellung {{2}} ist unterwegs.", "Jürgen", "8812")], {
      language: "de",
    }),
    template(3, "appointment_reminder", [
      body("Does {{1}} still suit you for the planting workshop?", "Saturday, 10:00"),
      buttons({ type: "QUICK_REPLY", text: "Yes" }, { type: "QUICK_REPLY", text: "Another day" }),
    ]),
    template(
      4,
      "new_arrivals",
      [
        body("Three plants for you, {{1}}, until Sunday.", "Ada"),
        {
          type: "CAROUSEL",
          cards: [
            card("lamp", "{{1}} off the monstera."),
            card("chair", "{{1}} off the olive."),
            card("table", "{{1}} off."),
          ],
        },
      ],
      { category: "MARKETING", quality_score: { score: "YELLOW" } },
    ),
    template(5, "delivery_photo", [picture("receipt"), body("Hi {{1}}, this is where we left your parcel.", "Ada")]),
    template(
      6,
      "spring_code",
      [
        body("{{1}} off everything green today.", "20 %"),
        buttons({ type: "COPY_CODE", text: "Copy code", example: ["GREEN20"] }),
      ],
      { category: "MARKETING" },
    ),
    template(7, "review_request", [body("How are your plants, {{1}}?", "Ada")], {
      status: "PENDING",
      quality_score: { score: "UNKNOWN" },
    }),
    template(8, "flash_sale", [body("Buy now or never, {{1}}!!!", "Ada")], {
      status: "REJECTED",
      category: "MARKETING",
      rejected_reason: "ABUSIVE_CONTENT",
    }),
    template(9, "winter_clearance", [body("Last leaves of the year, {{1}}.", "Ada")], {
      status: "PAUSED",
      category: "MARKETING",
      quality_score: { score: "RED" },
    }),
  ];
};

const template = (serial: number, name: string, components: object[], more: object = {}) => ({
  id: `59000000000${serial}`,
  name,
  components,
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  quality_score: { score: "GREEN" },
  ...more,
});
