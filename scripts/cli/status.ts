import { CREDENTIALS, printDocument, runApiCommand, watchMessage } from "../api-command";
import { noMore, required } from "../command-line";

const USAGE = `Usage: npm run --silent cli -- status msg_… [--watch]

Prints the message as it stands. With --watch, then each new status, a line of JSON each, until READ or FAILED or for half an
hour, asked for after 5 s, 15 s, 60 s, 5 min and 30 min.
${CREDENTIALS}`;

export const status = (args: string[]): Promise<void> =>
  runApiCommand({ usage: USAGE, flags: ["watch"], args }, async (client, { positionals: [id, ...surplus], flag }) => {
    noMore(surplus);
    const message = await client.getMessage(required(id, "The message's id"));
    if (flag("watch")) await watchMessage(client, message);
    else printDocument(message);
  });
