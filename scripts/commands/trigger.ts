import { env } from "@/lib/core/env";
import { findMessageWithEvents } from "@/lib/messages/list/log-queries";
import { findLine } from "@/lib/phone-numbers/queries";
import { deliver, statusBody } from "@/lib/sandbox/webhooks";
import { sandboxSecret } from "@/lib/whatsapp/webhook-signature";
import { type Arguments, required, UsageError } from "../../clients/typescript/src/cli/command-line";
import { oneOf, runCommand, workspaceOf } from "../operator-command";

const USAGE = `Usage: switchboard trigger sent|delivered|read|failed --workspace REF --message msg_… [--code N]

Reports the status of a test message to the gateway at APP_URL, by a signed webhook as the sandbox sends it. A failure
has WhatsApp's code 131000 unless --code says another. Only WhatsApp can report the status of a live message.
`;

const STATUSES = ["sent", "delivered", "read", "failed"] as const;
const RETRY_BASE_MS = 200;

export function trigger(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, options: ["workspace", "message", "code"], words: 1, args }, async (given) => {
    const status = oneOf(STATUSES, given.positionals[0], "The status");
    const errorCode = codeOf(given);
    const { url, body } = await webhookOf(given, { status, at: 0, ...(errorCode === undefined ? {} : { errorCode }) });
    let answer: number | "unreachable" = "unreachable";
    const isDone = await deliver({ url, appSecret: sandboxSecret(env().WHATSAPP_APP_SECRET) }, body, {
      retryBaseMs: RETRY_BASE_MS,
      onAttempt: (attempt) => {
        answer = attempt.answer;
      },
    });
    return { answer: { status, webhook: url, answer }, isDone };
  });
}

async function webhookOf(given: Arguments, step: Parameters<typeof statusBody>[0]) {
  const messageId = required(given.option("message"), "--message msg_…");
  const workspaceId = await workspaceOf(given);
  const message = await findMessageWithEvents(workspaceId, messageId);
  const line = message && (await findLine(workspaceId, message.line.id));
  if (!message || !line) throw new Error(`There is no message ${messageId} in this workspace.`);
  if (message.mode !== "test") throw new Error(`${messageId} is live: only WhatsApp can report its status.`);
  if (!message.whatsappMessageId) throw new Error(`${messageId} never reached WhatsApp.`);
  const { whatsappPhoneNumberId, whatsappBusinessAccountId } = line;
  const recipient = { kind: "phone" as const, input: message.phone, whatsappId: message.phone };
  const send = {
    type: message.type,
    recipient,
    callbackData: messageId,
    pricingCategory: message.type === "template" ? "utility" : "service",
  };
  const of = { whatsappMessageId: message.whatsappMessageId, whatsappPhoneNumberId, whatsappBusinessAccountId, send };
  return { url: `${env().APP_URL}/api/webhooks/whatsapp`, body: statusBody(step, of, Date.now()) };
}

function codeOf({ option }: Arguments): number | undefined {
  const given = option("code");
  if (given === undefined || /^\d{1,9}$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new UsageError("--code must be a number of WhatsApp's, such as 131026.");
}
