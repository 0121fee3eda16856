import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { eventWords } from "./rows";
import type { Answer, TestWorkspace } from "./workspace";

/** The message once it has a status; as it is after 20 s otherwise. */
export const reaching = async (workspace: Pick<TestWorkspace, "status">, id: string, status: string) => {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { data }: Answer["body"] = (await workspace.status(id)).body;
    if (data.status === status || Date.now() > deadline) return data;
    await sleep(400);
  }
};

/** Waits until WhatsApp's side has said all of these about a message. */
export const heard = async (workspace: TestWorkspace, id: string, words: string[]): Promise<void> => {
  const deadline = Date.now() + 20_000;
  while ((await eventWords(workspace, id)).length < words.length && Date.now() < deadline) await sleep(200);
  expect(await eventWords(workspace, id)).toEqual(words.toSorted());
};
