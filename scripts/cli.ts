import { doctor } from "./cli/doctor";
import { logs } from "./cli/logs";
import { send } from "./cli/send";
import { status } from "./cli/status";
import { templates } from "./cli/templates";
import { trigger } from "./cli/trigger";
import { webhook } from "./cli/webhook";

const USAGE = `Usage: npm run --silent cli -- COMMAND …

With an API key, at any gateway:
  send              sends a message
  status            the status of a message
  templates         the approved templates, and the keys that a send fills

With the environment of the gateway itself:
  logs tail         the calls of a workspace, as they come in
  trigger           reports the status of a test message to the gateway
  webhook replay    signs a recorded webhook and delivers it again
  doctor            says what is wrong with the deployment

npm run --silent cli -- COMMAND --help says more.
`;

const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  send,
  status,
  templates,
  logs,
  trigger,
  webhook,
  doctor,
};

const [name = "", ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) await command(rest);
else {
  process.stderr.write(USAGE);
  process.exitCode = name === "--help" ? 0 : 2;
}
