/** WhatsApp's keys of several words in template components and interactive objects. */
const KEYS = [
  ...["amount_1000", "card_index", "catalog_id", "coupon_code", "date_time", "display_text", "expiration_time_ms"],
  ...["fallback_value", "flow_action", "flow_action_data", "flow_action_payload", "flow_cta", "flow_id"],
  ...["flow_message_version", "flow_name", "flow_token", "limited_time_offer", "parameter_name", "product_items"],
  ...["product_retailer_id", "quick_reply", "sub_type", "tap_target_configuration", "thumbnail_product_retailer_id"],
];

const lettersOf = (key: string): string => key.replaceAll("_", "").toLowerCase();
const BY_LETTERS: ReadonlyMap<string, string> = new Map(KEYS.map((key) => [lettersOf(key), key]));

/** Returns WhatsApp's key that another spelling such as `parameterName` means; undefined for its own and for unknown ones. */
export function rightKey(given: string): string | undefined {
  const key = BY_LETTERS.get(lettersOf(given));
  return key === given ? undefined : key;
}

/** Says so in an error about the misspelt key. */
export function meantKey(right: string): string {
  return `is not a field of WhatsApp's. Did you mean \`${right}\`?`;
}
