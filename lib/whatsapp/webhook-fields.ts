/** The webhook fields to subscribe to in the app's webhook settings. */
export const WEBHOOK_FIELDS = [
  "messages",
  "user_id_update",
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
  "phone_number_quality_update",
  "phone_number_name_update",
  "account_update",
  "account_alerts",
  "account_review_update",
] as const;
