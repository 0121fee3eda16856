import { expect } from "vitest";
import { sql } from "./rows";
import { sentBodies } from "./sends";
import { bodyOf, templateRecord } from "./template-records";
import { provisionWorkspace, type TestWorkspace, type WorkspaceOptions } from "./workspace";

type Words = { stop: readonly string[]; start: readonly string[] };

/** A workspace that refuses marketing to who has stopped it, with the template of `saleTo`. */
export async function workspaceWithStops(
  { stop = ["stop"], start = ["start"] }: Partial<Words> = {},
  options: WorkspaceOptions = {},
): Promise<TestWorkspace> {
  const sale = templateRecord("sale", [bodyOf("Half price today.")], { category: "MARKETING" });
  const workspace = await provisionWorkspace({ templates: [sale], ...options });
  // As an earlier release saved the words: not folded.
  await sql`
      update workspaces set refuse_opted_out = true, stop_words = ${JSON.stringify(stop)}::text::jsonb,
        start_words = ${JSON.stringify(start)}::text::jsonb
      where id = ${workspace.workspaceId}`;
  return workspace;
}

type Recipient = { phone: string } | { contactId: string };

export const saleTo = (to: Recipient) => ({ type: "template", ...to, templateName: "sale", templateVariables: {} });

/** Marketing to each of them is refused, and WhatsApp is not called. */
export async function expectStopped(workspace: TestWorkspace, ...recipients: Recipient[]): Promise<void> {
  const { length } = await sentBodies(workspace);
  for (const to of recipients) {
    const { status, body, text } = await workspace.send(saleTo(to));
    expect([status, body.details?.platform?.code], text).toEqual([400, 131050]);
  }
  expect(await sentBodies(workspace)).toHaveLength(length);
}
