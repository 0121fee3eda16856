import { describe, expect, test } from "vitest";
import { platformRequests, provisionWorkspace } from "../support/workspace";

describe("201", () => {
  test("a text reaches the platform to the byte and answers with the whole message", async () => {
    const workspace = await provisionWorkspace();
    const answer = await workspace.send({ type: "text", phone: "+44 7700 900-123", content: "Grüße 👋" });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^msg_/),
        status: "SENT",
        chatMessageId: expect.stringMatching(/^wamid\./),
        failureReason: null,
        sentAt: expect.stringMatching(/Z$/),
        deliveredAt: null,
        readAt: null,
        createdAt: expect.stringMatching(/Z$/),
        idempotentReplay: false,
      },
    });
    const [sent, ...more] = await platformRequests(workspace.whatsappPhoneNumberId);
    expect(more).toEqual([]);
    expect(sent?.path).toBe(`/v25.0/${workspace.whatsappPhoneNumberId}/messages`);
    expect(sent?.body).toBe(
      `{"messaging_product":"whatsapp","recipient_type":"individual","to":"+447700900123","type":"text","text":{"preview_url":false,"body":"Grüße 👋"},"biz_opaque_callback_data":"${answer.body.data.id}"}`,
    );
  });
});
