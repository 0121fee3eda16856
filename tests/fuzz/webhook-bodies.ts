import fc, { type Arbitrary } from "fast-check";
import { json, mostly, phone, record, text, type Vocabulary, wordsOf } from "./values";

const FIELDS = wordsOf(`
  messages message_template_status_update message_template_quality_update template_category_update
  message_template_components_update phone_number_quality_update phone_number_name_update account_update flows
`);

/** Bodies as WhatsApp writes them, with anything in any place. */
export const webhookBodies = (words: Vocabulary): Arbitrary<unknown> => {
  const timestamp = mostly(fc.oneof(fc.constantFrom("1790000000", "0", "-1", "99999999999999", 1790000000), text));
  const wamid = mostly(fc.constantFrom(words.whatsappMessageId, "wamid.NONE"));
  const status = record({
    id: wamid,
    status: mostly(fc.constantFrom("sent", "delivered", "read", "failed", "played", "deleted", "warning")),
    timestamp,
    recipient_id: mostly(phone),
    biz_opaque_callback_data: mostly(fc.constantFrom(words.messageId, "msg_none")),
    errors: mostly(
      fc.array(
        record({ code: mostly(fc.integer()), title: text, message: text, error_data: record({ details: text }) }),
        { maxLength: 2 },
      ),
    ),
    conversation: json,
    pricing: json,
  });
  const message = record({
    from: mostly(phone),
    id: mostly(fc.oneof(text, fc.constant("wamid.IN1"))),
    timestamp,
    type: mostly(fc.constantFrom("text", "interactive", "image", "reaction", "unsupported", "button")),
    text: record({ body: text }),
    interactive: record({
      type: fc.constantFrom("nfm_reply", "button_reply"),
      nfm_reply: record({ name: text, response_json: text }),
    }),
    context: record({ id: wamid }),
  });
  const value = record({
    messaging_product: fc.constant("whatsapp"),
    metadata: mostly(
      record({
        display_phone_number: text,
        phone_number_id: mostly(fc.constantFrom(words.whatsappPhoneNumberId, "0")),
      }),
    ),
    contacts: mostly(fc.array(record({ wa_id: mostly(phone), profile: record({ name: text }) }), { maxLength: 2 })),
    statuses: mostly(fc.array(status, { maxLength: 4 })),
    messages: mostly(fc.array(message, { maxLength: 3 })),
    event: mostly(fc.constantFrom("APPROVED", "REJECTED", "PAUSED", "DISABLED_UPDATE", "FLAGGED")),
    message_template_id: mostly(fc.integer()),
    message_template_name: mostly(fc.constantFrom(...words.templates)),
    message_template_language: mostly(fc.constantFrom("en_US", "de")),
    message_template_components: json,
    reason: json,
    new_quality_score: text,
    new_category: text,
    display_phone_number: text,
    current_limit: text,
    requested_verified_name: text,
    decision: text,
  });
  const change = record({
    field: mostly(fc.constantFrom(...FIELDS)),
    value: mostly(value),
  });
  const entry = record({
    id: mostly(fc.constantFrom(words.whatsappBusinessAccountId, "0")),
    time: mostly(fc.integer()),
    changes: mostly(fc.array(change, { maxLength: 3 })),
  });
  return mostly(
    record({
      object: mostly(fc.constant("whatsapp_business_account")),
      entry: mostly(fc.array(entry, { maxLength: 3 })),
    }),
    12,
  );
};
