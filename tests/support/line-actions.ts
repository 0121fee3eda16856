import { randomInt } from "node:crypto";
import { callAction, saidByAction } from "./actions";
import type { RawAnswer } from "./raw-http";
import { signIn } from "./session";
import { provisionWorkspace, type Sign, type TestWorkspace, type WorkspaceOptions } from "./workspace";

/** An account of the sandbox behind live lines, with one number unless its end says otherwise, and that number's id. */
export const freshAccount = (end = "") => {
  const account = `1${randomInt(10 ** 8, 10 ** 9)}${end || randomInt(10 ** 5, 10 ** 6)}`;
  return { whatsappBusinessAccountId: account, whatsappPhoneNumberId: `2${account.slice(1)}` };
};

/** A workspace whose one line is a number of its account, as WhatsApp would have it. */
export const workspaceOfAccount = async (
  line: Partial<NonNullable<WorkspaceOptions["lines"]>[number]> = {},
  options: WorkspaceOptions = {},
): Promise<TestWorkspace> => provisionWorkspace({ ...options, lines: [{ ref: "main", ...freshAccount(), ...line }] });

export type Doing = (name: string, fields?: Record<string, string>) => Promise<RawAnswer>;

/** Calls actions of lines as a signed-in person does on a page of the workspace. */
export const actingAs = async (
  { workspaceId, phoneNumberId }: TestWorkspace,
  sign: Sign,
  baseUrl?: string,
): Promise<Doing> => {
  const cookie = await signIn(sign);
  return (name, fields = {}) => {
    // On a page that has the action: from any other the framework sends it on, and its status is lost.
    const page = name === "runWebhookCheck" ? "webhooks" : `phone-numbers/${phoneNumberId || "new"}`;
    return callAction(`app/dashboard/phone-numbers/actions.ts#${name}`, {
      fields: { workspaceId, ...fields },
      headers: { cookie },
      path: `/dashboard/${page}`,
      baseUrl,
    });
  };
};

/** The value of an action that did it; throws what it said otherwise. */
export const doneBy = (answer: RawAnswer): unknown => {
  const said = saidByAction(answer.text);
  if (!said?.ok) throw new Error(`not done: ${answer.status} ${JSON.stringify(said)}`);
  return said.value;
};

/** Why an action did not do it. */
export const refusalBy = (answer: RawAnswer): { message: string; issues: Record<string, string> } => {
  const said = saidByAction(answer.text);
  if (!said || said.ok) throw new Error(`no refusal: ${answer.status} ${answer.text.slice(0, 200)}`);
  return said;
};
