import { expect } from "vitest";
import { testServers } from "./environment";
import { messageRows, planUnits, sql } from "./rows";
import { type Answer, platformRequests, type TestWorkspace } from "./workspace";

export const PHONE = "447700900123";
export const TEXT = { type: "text", phone: PHONE, content: "Hello" };
export const KEY = { "Idempotency-Key": "order-1" };

/** A message as it must leave, to the byte. */
export const wire = (answer: Answer, payload: object, to = PHONE): string =>
  JSON.stringify({
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: `+${to}`,
    ...payload,
    biz_opaque_callback_data: answer.body.data?.id ?? answer.body.details.messageId,
  });

/** A template message as it must leave; without components WhatsApp gets none. */
export const templateWire = (answer: Answer, name: string, components?: unknown[], language = "en_US"): string =>
  wire(answer, {
    type: "template",
    template: { name, language: { code: language }, ...(components === undefined ? {} : { components }) },
  });

/** The messages that reached WhatsApp through a line, or the first of a workspace, in order. */
export const callsOf = ({ whatsappPhoneNumberId }: Pick<TestWorkspace, "whatsappPhoneNumberId">) =>
  platformRequests(whatsappPhoneNumberId, "messages");

export const sentBodies = async (line: Pick<TestWorkspace, "whatsappPhoneNumberId">): Promise<string[]> =>
  (await callsOf(line)).map(({ body }) => body);

/** A new message: 201, SENT, every field of the resource and nothing beside them. */
export const expectSent = (answer: Answer): void => {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body).toEqual({
    success: true,
    data: {
      id: expect.stringMatching(/^msg_/),
      status: "SENT",
      chatMessageId: expect.stringMatching(/^wamid\./),
      failureReason: null,
      sentAt: expect.stringMatching(INSTANT),
      deliveredAt: null,
      readAt: null,
      createdAt: expect.stringMatching(INSTANT),
      idempotentReplay: false,
    },
  });
};

/** A replay of a message that ended as `status`. */
export const expectReplay = (answer: Answer, messageId: string | undefined, status: string, reason: unknown): void => {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get("idempotent-replayed")).toBe("true");
  expect(answer.body).toEqual({
    success: true,
    data: {
      id: messageId,
      status,
      chatMessageId: null,
      failureReason: reason,
      sentAt: null,
      deliveredAt: null,
      readAt: null,
      createdAt: expect.stringMatching(INSTANT),
      idempotentReplay: true,
    },
  });
};

/** An error body of exactly the contract's shape; `details` beyond `requestId` and `docsUrl` as given, and no more. */
export const expectError = (
  answer: Answer,
  { status, error, message, details }: { status: number; error: string; message?: unknown; details: object },
): void => {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.body).toEqual({
    error,
    message: message ?? expect.any(String),
    details: {
      requestId: answer.headers.get("x-request-id"),
      docsUrl: expect.stringMatching(new RegExp(`/docs/errors/${error}$`)),
      ...details,
    },
  });
  expect(answer.headers.get("link")).toBe(`<${answer.body.details.docsUrl}>; rel="help"`);
  expect(answer.body.message.length, answer.body.message).toBeLessThanOrEqual(MAX_MESSAGE_CHARACTERS);
};

/** A 400 that names exactly these faults, each by its path and a part of its words, in any order. */
export const expectInvalid = (answer: Answer, faults: Record<string, string | RegExp>): void => {
  const words = Object.entries(faults).map(([path, text]) => ({
    path,
    message: typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
  }));
  const [first] = answer.body.details?.issues ?? [];
  expectError(answer, {
    status: 400,
    error: "VALIDATION_ERROR",
    details: {
      ...(first?.path ? { field: first.path } : {}),
      issues: expect.toSatisfy((issues: unknown[]) => issues.length === words.length),
      retryable: false,
    },
  });
  expect(answer.body.details.issues).toEqual(expect.arrayContaining(words));
};

/** Nothing of a send is left: no call to WhatsApp through any line, no message, no plan unit. */
export const expectNothingBound = async (workspace: TestWorkspace): Promise<void> => {
  for (const { whatsappPhoneNumberId } of Object.values(workspace.lines)) {
    expect(await platformRequests(whatsappPhoneNumberId)).toEqual([]);
  }
  expect(await countMessages(workspace)).toBe(0);
  expect(await usedUnits(workspace)).toBe(0);
};

export const countMessages = async (workspace: TestWorkspace): Promise<number> => (await messageRows(workspace)).length;

export const usedUnits = async (workspace: TestWorkspace): Promise<number> => (await planUnits(workspace)).used;

/** The contacts of a workspace, by phone. */
export const listContacts = ({ workspaceId }: TestWorkspace): Promise<{ id: string; phone: string }[]> =>
  sql<{ id: string; phone: string }[]>`
      select id, phone from contacts where workspace_id = ${workspaceId} order by phone`;

/** How often the media host was asked for a path. */
export const mediaFetches = async (path: string): Promise<number> =>
  Number(await (await fetch(`${testServers().mediaUrl}/__hits${path}`)).text());

/** As if ten minutes had passed since the last upload of a workspace. */
export const forgetUploads = ({ workspaceId }: TestWorkspace) =>
  sql`update media_uploads set expires_at = now() where workspace_id = ${workspaceId}`;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAX_MESSAGE_CHARACTERS = 280;
