const PUBLIC_API = "/api/v1/public";
const CREDENTIALS = `-H "apiKey: $CHAT_API_KEY" -H "apiSecret: $CHAT_API_SECRET"`;

/** The calls as they are pasted into a shell; `origin` is this deployment's own. */

export const sendTextSnippet = (origin: string): string =>
  `curl -X POST ${origin}${PUBLIC_API}/messages/send \\
  ${CREDENTIALS} \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-8812" \\
  -d '{"type":"text","phone":"447700900003",
       "content":"Your order is ready."}'`;

export const sendTemplateSnippet = (origin: string): string =>
  `curl -X POST ${origin}${PUBLIC_API}/messages/send \\
  ${CREDENTIALS} \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-8812-ready" \\
  -d '{"type":"template","phone":"447700900003","templateName":"order_ready",
       "templateLanguage":"en_US","templateVariables":{"1":"Ada","2":"8812"}}'`;

export const getMessageSnippet = (origin: string): string =>
  `curl ${origin}${PUBLIC_API}/messages/$MESSAGE_ID \\
  ${CREDENTIALS}`;

export const listTemplatesSnippet = (origin: string): string =>
  `curl ${origin}${PUBLIC_API}/templates \\
  ${CREDENTIALS}`;

export const SEND_ANSWER = `HTTP/1.1 201 Created

{
  "success": true,
  "data": {
    "id": "msg_01kd7x2m9q4v8c3t6w1z5r0n",
    "status": "SENT",
    "chatMessageId": "wamid.HBgMNDQ3NzAwOTAwMDAz",
    "failureReason": null,
    "sentAt": "2026-01-05T12:09:11.214Z",
    "deliveredAt": null,
    "readAt": null,
    "createdAt": "2026-01-05T12:09:11.020Z",
    "idempotentReplay": false
  }
}`;

export const ERROR_ANSWER = `{
  "error": "PHONE_NUMBER_REQUIRED",
  "message": "This workspace has 3 active lines. Add \`phoneNumberId\`.",
  "details": {
    "requestId": "req_01kd7x2m9q…",
    "docsUrl": "https://…/docs/errors/PHONE_NUMBER_REQUIRED",
    "field": "phoneNumberId",
    "retryable": false
  }
}`;
