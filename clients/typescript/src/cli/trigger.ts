import { ChatGraphError } from "../api-errors.js";
import type { Message, Switchboard } from "../switchboard.js";
import { credentialsText, requireTestKey, runApiCommand, type Shell } from "./api-command.js";
import { type Command, noMore, required, UsageError } from "./command-line.js";
import { printDocument } from "./documents.js";

type Trigger = { phone: string; until?: "SENT" | "DELIVERED" | "READ"; ends: Message["status"] };

/** The sandbox's number whose message ends in each event, what to wait for, and how it ends. A failure ends every wait. */
export const TRIGGERS: Readonly<Record<string, Trigger>> = {
  "message.sent": { phone: "447700900001", until: "SENT", ends: "SENT" },
  "message.delivered": { phone: "447700900002", until: "DELIVERED", ends: "DELIVERED" },
  "message.read": { phone: "447700900003", until: "READ", ends: "READ" },
  "message.failed": { phone: "447700900126", until: "READ", ends: "FAILED" },
  "message.unknown": { phone: "447700900502", ends: "UNKNOWN" },
  "message.received": { phone: "447700900300", until: "READ", ends: "READ" },
  "contact.opted_out": { phone: "447700900302", until: "READ", ends: "READ" },
  "contact.opted_in": { phone: "447700900303", until: "READ", ends: "READ" },
};

const EVENTS = Object.keys(TRIGGERS).join(", ");
/** The sandbox reports a read after two seconds. */
const WAIT_SECONDS = 30;

const usage = (shell: Shell): string => `Usage: ${shell.program} trigger EVENT [--line pn_…]

Causes an event: sends a message to the sandbox's number for EVENT, waits for that status, and prints the message. Ends with 1
where it does not come. EVENT is one of ${EVENTS}.
The earlier events of the message, such as message.sent, are delivered too. What the person does, such as message.received,
follows a second after the message was read. It needs a test key.
${credentialsText(shell)}
`;

/** `trigger`: causes an event by a message in the sandbox. */
export const trigger =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(
      shell,
      { usage: usage(shell), options: ["line"], args },
      async (client, { positionals: [event, ...surplus], option }, credentials) => {
        noMore(surplus);
        const { phone, until, ends } = triggerOf(required(event, "EVENT"));
        requireTestKey(credentials, "a live key would send to WhatsApp");
        const phoneNumberId = option("line");
        const content = `This message causes ${event}.`;
        const request = { type: "text" as const, phone, content, ...(phoneNumberId ? { phoneNumberId } : {}) };
        const sent = await client.send(request).catch((error: unknown) => unknownMessage(client, error));
        const message = until ? await client.waitFor(sent.id, { until, timeoutSeconds: WAIT_SECONDS }) : sent;
        printDocument(message);
        return message.status === ends;
      },
    );

const triggerOf = (event: string) => {
  const found = Object.hasOwn(TRIGGERS, event) ? TRIGGERS[event] : undefined;
  if (found) return found;
  const isTemplate = event.startsWith("template.") || event === "webhook.test";
  const advice = isTemplate
    ? "It cannot cause events of templates: create a marketing template in test mode for template.approved. “Send test event” on the page of an endpoint sends webhook.test."
    : "";
  throw new UsageError(`EVENT must be one of ${EVENTS}. ${advice}`.trim());
};

/** A message with an unknown outcome is what was asked for; every other failure stays one. */
const unknownMessage = (client: Switchboard, error: unknown): Promise<Message> => {
  if (!(error instanceof ChatGraphError) || error.details.outcome !== "unknown" || !error.details.messageId)
    throw error;
  return client.getMessage(error.details.messageId);
};
