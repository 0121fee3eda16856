import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isRecord } from "@/lib/core/json";
import { readTemplate } from "@/lib/whatsapp/business-account";
import { applyComponentsUpdate, readComponentsUpdate } from "@/lib/whatsapp/template-webhooks";
import { readWebhook } from "@/lib/whatsapp/webhook-events";
import { PhoneNumberRecord, SendAnswer } from "@/lib/whatsapp/wire";

/** Where WhatsApp writes a value of an enum that we compare, count by or show: the field, below its parent if that decides. */
const ENUMS = Object.entries({
  statuses: ["status", "type", "recipient_type"],
  pricing: ["category", "type", "pricing_model"],
  system: ["type"],
  user_preferences: ["category", "value"],
  value: [
    ...["event", "decision", "reason", "current_limit", "new_category", "new_quality_score"],
    ...["message_template_category", "message_template_language"],
  ],
  message_template_buttons: ["message_template_button_type"],
  alert_info: ["alert_type", "alert_status", "alert_severity"],
  ban_info: ["waba_ban_state"],
  restriction_info: ["restriction_type"],
  quality_score: ["score"],
  throughput: ["level"],
  "": [
    ...["status", "category", "language", "parameter_format", "rejected_reason", "quality_rating"],
    ...["whatsapp_business_manager_messaging_limit", "message_status"],
  ],
}).flatMap(([parent, fields]) => fields.map((field) => `${parent}.${field}`));

const SPELLINGS: Record<string, (word: string) => string> = {
  "in lower case": (word) => word.toLowerCase(),
  "in upper case": (word) => word.toUpperCase(),
  "with hyphens": (word) => word.replaceAll("_", "-"),
  "with underscores": (word) => word.replaceAll("-", "_"),
};

/** The same with another spelling of every enum's value; an entry of a list is below the list's name. */
const respelled = (value: unknown, spell: (word: string) => string, parent = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => respelled(one, spell, parent));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      typeof inner === "string" && ENUMS.includes(`${parent}.${field}`) ? spell(inner) : respelled(inner, spell, field),
    ]),
  );
};

/** What was read, without what repeats WhatsApp's own text. */
const read = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(
      readWebhook(new TextEncoder().encode(JSON.stringify(body)), new Date("2026-10-10T12:00:00Z")),
      (key, value) => (["raw", "digest", "noticeDigest", "body"].includes(key) ? undefined : value),
    ),
  );

const webhook = (field: string, value: object) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "102200001", time: 1_790_000_000, changes: [{ field, value }] }],
});
const METADATA = { display_phone_number: "442079460123", phone_number_id: "106500001" };
const status = (pricing: object) => webhook("messages", { metadata: METADATA, statuses: [{ ...STATUS, pricing }] });
const STATUS = { id: "wamid.1", status: "delivered", timestamp: "1760000123", type: "message" };
const TEMPLATE = { message_template_id: 1, message_template_name: "ready", message_template_language: "pt-BR" };
const NUMBER = { display_phone_number: "442079460123" };

const WRITTEN: Record<string, unknown> = {
  "an international code": status({ billable: true, type: "regular", category: "authentication-international" }),
  "a free message": status({ pricing_model: "PMP", type: "free_customer_service", category: "marketing_lite" }),
  "a limit": webhook("phone_number_quality_update", { ...NUMBER, event: "UPGRADE", current_limit: "TIER_10K" }),
  "a name": webhook("phone_number_name_update", { ...NUMBER, decision: "APPROVED", requested_verified_name: "Ada's" }),
  "a PIN": webhook("security", { ...NUMBER, event: "PIN_RESET_REQUEST", requester: "1" }),
  "an alert": webhook("account_alerts", {
    entity_id: "1",
    alert_info: { alert_severity: "CRITICAL", alert_status: "ACTIVE", alert_type: "OBA_APPROVED" },
  }),
  "a review": webhook("account_review_update", { decision: "REJECTED" }),
  "a ban": webhook("account_update", {
    event: "DISABLED_UPDATE",
    ban_info: { waba_ban_state: "SCHEDULE_FOR_DISABLE" },
  }),
  "a restriction": webhook("account_update", {
    event: "ACCOUNT_RESTRICTION",
    restriction_info: [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" }],
  }),
  "a template": webhook("message_template_status_update", {
    ...TEMPLATE,
    event: "PENDING_DELETION",
    reason: "INCORRECT_CATEGORY",
    message_template_category: "MARKETING",
  }),
  "no reason": webhook("message_template_status_update", { ...TEMPLATE, event: "REINSTATED", reason: "NONE" }),
  "a quality": webhook("message_template_quality_update", { ...TEMPLATE, new_quality_score: "YELLOW" }),
};

const FIXTURES = path.resolve(process.cwd(), "..", "shared", "fixtures", "webhooks");
const RECORDED = existsSync(FIXTURES)
  ? readdirSync(FIXTURES)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => Object.entries(JSON.parse(readFileSync(path.join(FIXTURES, file), "utf8"))))
  : [];

describe.each(Object.entries(SPELLINGS))("a value of WhatsApp's %s", (_, spell) => {
  test.each(Object.entries(WRITTEN))("means the same in a webhook: %s", (_name, body) => {
    expect(read(respelled(body, spell))).toEqual(read(body));
  });

  test.skipIf(RECORDED.length === 0)(
    "means the same in every recorded webhook (skipped where ../shared is absent)",
    () => {
      for (const [name, body] of RECORDED) expect(read(respelled(body, spell)), name).toEqual(read(body));
    },
  );

  test("means the same in a template, a number and a send's response", () => {
    const template = {
      id: "1",
      name: "ready",
      language: "pt_BR",
      status: "PENDING_DELETION",
      category: "MARKETING",
      parameter_format: "NAMED",
      rejected_reason: "NONE",
      quality_score: { score: "GREEN" },
    };
    expect(readTemplate(respelled(template, spell))).toEqual(readTemplate(template));
    const number = {
      ...NUMBER,
      id: "1",
      quality_rating: "GREEN",
      status: "CONNECTED",
      throughput: { level: "STANDARD" },
      whatsapp_business_manager_messaging_limit: "TIER_100K",
    };
    expect(PhoneNumberRecord.parse(respelled(number, spell))).toEqual(PhoneNumberRecord.parse(number));
    const answer = { messages: [{ id: "wamid.1", message_status: "held_for_quality_assessment" }] };
    expect(SendAnswer.parse({ messages: [respelled(answer.messages[0], spell)] })).toEqual(SendAnswer.parse(answer));
  });

  test("means the same in the parts of an edited template", () => {
    const edited = {
      message_template_element: "New",
      message_template_buttons: [
        { message_template_button_type: "PHONE_NUMBER", message_template_button_text: "Call" },
      ],
    };
    const stored = (type: (word: string) => string) => [
      { type: type("BODY"), text: "Old" },
      { type: type("BUTTONS"), buttons: [{ type: type("PHONE_NUMBER"), text: "Phone" }] },
    ];
    const update = (body: unknown) =>
      readComponentsUpdate(body as Record<string, unknown>) ?? expect.fail("nothing read");
    expect(applyComponentsUpdate(stored(spell), update(respelled(edited, spell)))).toMatchObject([
      { text: "New" },
      { buttons: [{ text: "Call" }] },
    ]);
  });
});

test.each([
  ["TIER_1K", "TIER_1K"],
  ["TIER_1000", "TIER_1K"],
  ["1000", "TIER_1K"],
  [1_000, "TIER_1K"],
  [250, "TIER_250"],
  [100_000, "TIER_100K"],
  [-1, "TIER_UNLIMITED"],
  ["-1", "TIER_UNLIMITED"],
  ["unlimited", "TIER_UNLIMITED"],
  ["TIER_NOT_SET", "TIER_NOT_SET"],
  ["", null],
  [undefined, null],
])("a limit %j is %s", (given, tier) => {
  const number = { id: "1", ...NUMBER, whatsapp_business_manager_messaging_limit: given };
  expect(PhoneNumberRecord.parse(number).messagingLimit).toBe(tier);
});
