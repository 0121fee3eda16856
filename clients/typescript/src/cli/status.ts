import { credentialsText, runApiCommand, type Shell, watchMessage } from "./api-command.js";
import { type Command, noMore, required } from "./command-line.js";
import { printDocument } from "./documents.js";

const usage = (shell: Shell): string => `Usage: ${shell.program} status msg_… [--watch]

Prints the message and its status. With --watch, then each new status, a line of JSON each, until READ or FAILED or for half
an hour; FAILED ends it with 1. The status is read after 1, 2, 3, 5, 15 and 60 s, 5 and 30 min.
${credentialsText(shell)}
`;

/** `status`: prints a message, and with `--watch` each new status of it. */
export const status =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(shell, { usage: usage(shell), flags: ["watch"], args }, async (client, { positionals, flag }) => {
      const [id, ...surplus] = positionals;
      noMore(surplus);
      const message = await client.getMessage(required(id, "The message's id"));
      if (flag("watch")) return watchMessage(client, message);
      printDocument(message);
      return true;
    });
