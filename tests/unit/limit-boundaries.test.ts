import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { AppError } from "@/lib/core/app-error";
import { readInteractive } from "@/lib/messages/send/interactive";
import { GraphError } from "@/lib/sandbox/graph-error";
import { checkInteractive, checkReadReceipt, checkSend } from "@/lib/sandbox/message-rules";
import { createSubscribedApps } from "@/lib/sandbox/phone-numbers";
import { checkNewTemplate } from "@/lib/sandbox/template-creation-rules";
import { checkDraft } from "@/lib/templates/authoring-rules";
import { readDefinition } from "@/lib/templates/definition";
import { fillTemplate } from "@/lib/templates/fill";
import type { DraftButton, DraftPart, TemplateDraft } from "@/lib/whatsapp/draft";
import { ENTRIES, MAX_CARD_LINE_BREAKS, MAX_CHARACTERS, MAX_INDEX, MAX_TEMPLATE_BUTTONS } from "@/lib/whatsapp/limits";
import { GRAPH_BUTTON_TYPES, toGraphTemplate } from "@/lib/whatsapp/template-payload";
import { callWith } from "../support/calls";
import { INTERACTIVE_SAMPLES as SAMPLES } from "../support/interactive-samples";
import { template } from "../support/sandbox-sends";

/** Whether a value passes: `ours` is undefined where our API has no such field. */
type Case<Value> = { ours?: (value: Value) => unknown; theirs: (value: Value) => unknown };

const passes = async (check: () => unknown): Promise<boolean> => {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof AppError || error instanceof GraphError) return false;
    throw error;
  }
};

const interactive = <Value>(content: (value: Value) => unknown): Case<Value> => ({
  ours: (value) => readInteractive(content(value)),
  theirs: (value) => checkInteractive(content(value)),
});

const noTemplates = { findByName: async () => [], acceptUnknown: true };
const envelope = { messaging_product: "whatsapp", to: "+447700900123" };
const sent = (type: string, content: unknown, more: object = {}) =>
  checkSend({ ...envelope, type, [type]: content, ...more }, noTemplates);
const onlySandbox = <Value>(theirs: (value: Value) => unknown): Case<Value> => ({ theirs });

const LINK: DraftButton = { kind: "url", label: "Track", target: "https://shop.example/", sample: "" };
const CARD: DraftPart = {
  header: { kind: "image", text: "", sample: "https://cdn.example/a.jpg" },
  body: "Today.",
  samples: [],
  buttons: [LINK],
};
const DRAFT: TemplateDraft = {
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  header: { kind: "none", text: "", sample: "" },
  body: "Your order is ready.",
  samples: [],
  footer: "",
  buttons: [],
  cards: [],
};
const draft = <Value>(change: (value: Value) => Partial<TemplateDraft>): Case<Value> => ({
  ours: (value) => {
    const [issue] = checkDraft({ ...DRAFT, ...change(value) });
    if (issue) throw new AppError("VALIDATION_ERROR", issue.message);
  },
  theirs: (value) => checkNewTemplate(toGraphTemplate({ ...DRAFT, ...change(value) }, new Map())),
});
const button = (change: Partial<DraftButton>) => ({ buttons: [{ ...LINK, ...change }] });
const repeated = <Item>(item: Item, count: number): Item[] => Array.from({ length: count }, () => item);

/** A send of `stored`, whose only variable goes out as `sent`; `fixed` characters of the text are the template's own. */
const filled = (
  stored: unknown[],
  sent: (text: string) => unknown[],
  { key = "1", fixed = 0, category = "UTILITY" } = {},
): Case<string> => {
  const record = template("t", stored, { category });
  const definition = readDefinition({ ...record, parameterFormat: "POSITIONAL", components: stored });
  const wire = (text: string) => ({ name: "t", language: { code: "en_US" }, components: sent(text) });
  const templates = { findByName: async () => [record], acceptUnknown: false };
  return {
    ours: (value) => fillTemplate(definition, { templateVariables: { [key]: value.slice(fixed) } }),
    theirs: (value) => checkSend({ ...envelope, type: "template", template: wire(value.slice(fixed)) }, templates),
  };
};
const BODY = { type: "BODY", text: "Hi" };
const part = (type: string, text: string) => ({ type, parameters: [{ type: "text", text }] });
const one = (type: string, shown: object) => ({ type: "BUTTONS", buttons: [{ type, text: "Go", ...shown }] });
const tap = (sub_type: string, parameter: object) => ({
  type: "button",
  sub_type,
  index: "0",
  parameters: [parameter],
});
const codeUrl = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}";
const cards = (count: number) =>
  Array.from({ length: count }, (_, card_index) => ({ ...SAMPLES.linkCarousel.action.cards[0], card_index }));
const carousel = (some: unknown[]) => ({ ...SAMPLES.linkCarousel, action: { cards: some } });
const list = (section: object) => ({ ...SAMPLES.list, action: { button: "See", sections: [section] } });
const row = { id: "m9", title: "9:00" };
const reply = (change: object) => ({
  ...SAMPLES.button,
  action: { buttons: [{ type: "reply", reply: { id: "keep", title: "Keep", ...change } }] },
});
const numbered = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `r${at}`, title: `R${at}` }));

const CHARACTERS: Record<keyof typeof MAX_CHARACTERS, Case<string>[]> = {
  text: [
    {
      ours: (content) => parseSendRequest({ type: "text", phone: "447700900123", content }, callWith()),
      theirs: (body) => sent("text", { body }),
    },
  ],
  caption: [onlySandbox((caption) => sent("image", { id: "1", caption }))],
  contactName: [onlySandbox((formatted_name) => sent("contacts", [{ name: { formatted_name } }]))],
  callbackData: [onlySandbox((data) => sent("text", { body: "Hi" }, { biz_opaque_callback_data: data }))],
  messageId: [
    onlySandbox((message_id) => sent("reaction", { message_id })),
    onlySandbox((message_id) => checkReadReceipt({ messaging_product: "whatsapp", status: "read", message_id })),
  ],
  headerText: [
    interactive((text) => ({ ...SAMPLES.list, header: { type: "text", text } })),
    draft((text) => ({ header: { kind: "text", text, sample: "" } })),
    filled([{ type: "HEADER", format: "TEXT", text: "Hi {{1}}" }, BODY], (text) => [part("header", text)], {
      fixed: 3,
    }),
  ],
  body: [
    interactive((text) => ({ ...SAMPLES.button, body: { text } })),
    draft((body) => ({ body })),
    filled([{ type: "BODY", text: `${"x".repeat(900)}{{1}}` }], (text) => [part("body", text)], { fixed: 900 }),
  ],
  listBody: [interactive((text) => ({ ...SAMPLES.list, body: { text } }))],
  footer: [interactive((text) => ({ ...SAMPLES.button, footer: { text } })), draft((footer) => ({ footer }))],
  buttonTitle: [
    interactive((title) => reply({ title })),
    interactive((button) => ({ ...SAMPLES.list, action: { ...SAMPLES.list.action, button } })),
    interactive((display_text) => ({
      ...SAMPLES.cta_url,
      action: { name: "cta_url", parameters: { display_text, url: "https://shop.example" } },
    })),
  ],
  buttonId: [interactive((id) => reply({ id }))],
  flowButton: [
    interactive((flow_cta) => ({
      ...SAMPLES.flow,
      action: { name: "flow", parameters: { ...SAMPLES.flow.action.parameters, flow_cta } },
    })),
  ],
  sectionTitle: [
    interactive((title) => list({ title, rows: [row] })),
    interactive((title) => ({
      ...SAMPLES.product_list,
      action: { catalog_id: "1", sections: [{ title, product_items: [{ product_retailer_id: "sku" }] }] },
    })),
  ],
  rowId: [interactive((id) => list({ rows: [{ ...row, id }] }))],
  rowTitle: [interactive((title) => list({ rows: [{ ...row, title }] }))],
  rowDescription: [interactive((description) => list({ rows: [{ ...row, description }] }))],
  cardBody: [
    interactive((text) => carousel(cards(2).map((card) => ({ ...card, body: { text } })))),
    draft((body) => ({ cards: repeated({ ...CARD, body }, 2) })),
    filled(
      [BODY, { type: "CAROUSEL", cards: [{ components: [{ type: "BODY", text: `${"x".repeat(40)}{{1}}` }] }] }],
      (text) => [{ type: "carousel", cards: [{ card_index: 0, components: [part("body", text)] }] }],
      { key: "c0_1", fixed: 40 },
    ),
  ],
  templateName: [draft((name) => ({ name }))],
  templateLabel: [draft((label) => button({ label }))],
  templateUrl: [draft((text) => button({ target: `https://a.example/${text.slice(18)}` }))],
  templatePhone: [draft((text) => button({ kind: "phone", target: `+${text.slice(1).replaceAll("a", "4")}` }))],
  couponCode: [
    draft((sample) => button({ kind: "copyCode", sample })),
    filled([BODY, one("COPY_CODE", {})], (coupon_code) => [tap("copy_code", { type: "coupon_code", coupon_code })], {
      key: "copy_code",
    }),
  ],
  oneTimeCode: [
    filled(
      [{ type: "BODY", text: "*{{1}}* is your code." }, one("URL", { url: codeUrl })],
      (text) => [part("body", text), tap("url", { type: "text", text })],
      { category: "AUTHENTICATION" },
    ),
  ],
  callbackAddress: [
    onlySandbox((text) =>
      createSubscribedApps().subscribe("1", {
        override_callback_uri: `https://a.example/${text.slice(18)}`,
        verify_token: "t",
      }),
    ),
  ],
};

const COUNTS: Record<keyof typeof ENTRIES, Case<number>[]> = {
  buttons: [
    interactive((count) => ({
      ...SAMPLES.button,
      action: { buttons: numbered(count).map((button) => ({ type: "reply", reply: button })) },
    })),
  ],
  sections: [
    interactive((count) => ({
      ...SAMPLES.list,
      action: { button: "See", sections: numbered(count).map((entry) => ({ title: "A", rows: [entry] })) },
    })),
    interactive((count) => ({
      ...SAMPLES.product_list,
      action: { ...SAMPLES.product_list.action, sections: repeated(SAMPLES.product_list.action.sections[0], count) },
    })),
  ],
  rows: [interactive((count) => list({ rows: numbered(count) }))],
  products: [
    interactive((count) => ({
      ...SAMPLES.product_list,
      action: { catalog_id: "1", sections: [{ product_items: repeated({ product_retailer_id: "sku" }, count) }] },
    })),
  ],
  cards: [interactive((count) => carousel(cards(count))), draft((count) => ({ cards: repeated(CARD, count) }))],
  quickReplies: [
    interactive((count) => {
      const buttons = numbered(count).map((quick_reply) => ({ type: "quick_reply", quick_reply }));
      return carousel(cards(2).map((card) => ({ ...card, action: { buttons } })));
    }),
  ],
  contacts: [onlySandbox((count) => sent("contacts", repeated({ name: { formatted_name: "Ana" } }, count)))],
  templateButtons: [draft((count) => ({ buttons: repeated<DraftButton>({ ...LINK, kind: "quickReply" }, count) }))],
  templateCardButtons: [draft((count) => ({ cards: repeated({ ...CARD, buttons: repeated(LINK, count) }, 2) }))],
};

const KINDS: DraftButton[] = [
  { ...LINK, kind: "quickReply" },
  LINK,
  { ...LINK, kind: "phone", target: "+442079460123" },
  { ...LINK, kind: "copyCode", sample: "SAVE25" },
];

const expectBoth = async <Value>({ ours, theirs }: Case<Value>, value: Value, isTaken: boolean): Promise<void> => {
  if (ours) expect(await passes(() => ours(value)), "our API").toBe(isTaken);
  expect(await passes(() => theirs(value)), "the sandbox").toBe(isTaken);
};

describe("our API and the sandbox take a limit, and neither takes one more", () => {
  const characters = Object.entries(MAX_CHARACTERS).flatMap(([name, most]) =>
    CHARACTERS[name as keyof typeof MAX_CHARACTERS].map((one, at) => [name, most, at, one] as const),
  );
  test.each(characters)("%s: %i characters (%i)", async (_name, most, _at, one) => {
    await expectBoth(one, "a".repeat(most), true);
    await expectBoth(one, "a".repeat(most + 1), false);
  });

  const counts = Object.entries(ENTRIES).flatMap(([name, [least, most]]) =>
    COUNTS[name as keyof typeof ENTRIES].map((one, at) => [name, least, most, at, one] as const),
  );
  test.each(counts)("%s: %i to %i (%i)", async (name, least, most, _at, one) => {
    for (const count of [least, most]) await expectBoth(one, count, true);
    await expectBoth(one, most + 1, false);
    // A template may do without buttons.
    if (!name.startsWith("template")) await expectBoth(one, least - 1, false);
  });

  test.each(KINDS.map((kind) => [GRAPH_BUTTON_TYPES[kind.kind], kind] as const))(
    "%s on a template",
    async (type, kind) => {
      const one = draft((count: number) => ({ buttons: repeated(kind, count) }));
      await expectBoth(one, MAX_TEMPLATE_BUTTONS[type], true);
      await expectBoth(one, MAX_TEMPLATE_BUTTONS[type] + 1, false);
    },
  );

  test("line breaks of a card, and its place", async () => {
    const breaks = interactive((text: string) => carousel(cards(2).map((card) => ({ ...card, body: { text } }))));
    await expectBoth(breaks, `a${"\nb".repeat(MAX_CARD_LINE_BREAKS)}`, true);
    await expectBoth(breaks, `a${"\nb".repeat(MAX_CARD_LINE_BREAKS + 1)}`, false);
    const place = interactive((index: number) => carousel([...cards(1), { ...cards(1)[0], card_index: index }]));
    await expectBoth(place, MAX_INDEX, true);
    await expectBoth(place, MAX_INDEX + 1, false);
  });
});
