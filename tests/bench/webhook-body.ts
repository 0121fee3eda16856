/** The line of the first benchmark workspace, as WhatsApp names it. */
export const WHATSAPP_LINE = { phoneNumberId: "1055", businessAccountId: "1022" };

/** A webhook of statuses of the bench's line. */
export const webhookOf = (statuses: object[]) => {
  const value = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "442079460123", phone_number_id: WHATSAPP_LINE.phoneNumberId },
    statuses: statuses.map((status) => ({
      timestamp: String(Math.floor(Date.now() / 1_000)),
      recipient_id: "447700900123",
      pricing: { billable: true, pricing_model: "PMP", type: "regular", category: "utility" },
      ...status,
    })),
  };
  const changes = [{ field: "messages", value }];
  return { object: "whatsapp_business_account", entry: [{ id: WHATSAPP_LINE.businessAccountId, changes }] };
};
