import { expect } from "vitest";
import { expectReplay, expectSent, KEY, sentBodies } from "./sends";
import type { Answer, TestWorkspace } from "./workspace";

/** The message as the status operation tells it: its word and its reason. */
export const stateOf = async (workspace: TestWorkspace, messageId: string | undefined): Promise<unknown[]> => {
  const { status, body } = await workspace.status(messageId ?? "");
  return [status, body.data.status, body.data.failureReason, body.data.chatMessageId];
};

/** The same key after a refusal that WhatsApp may lift: the same row goes out, and is new to the caller. */
export const expectSecondAttempt = async (workspace: TestWorkspace, refusal: Answer, body: unknown): Promise<void> => {
  const retry = await workspace.send(body, KEY);
  expectSent(retry);
  expect(retry.body.data.id).toBe(refusal.body.details.messageId);
  expect(await sentBodies(workspace)).toHaveLength(2);
};

/** The same key after an end: 200 with the row as it stands, and nothing more is sent to WhatsApp. */
export const expectOnlyReplays = async (
  workspace: TestWorkspace,
  first: Answer,
  { status, reason, body }: { status: string; reason: unknown; body: unknown },
): Promise<void> => {
  const before = await sentBodies(workspace);
  for (let retry = 1; retry <= 2; retry++) {
    expectReplay(await workspace.send(body, KEY), first.body.details.messageId, status, reason);
  }
  expect(await sentBodies(workspace)).toEqual(before);
};
