import type { Shell } from "../clients/typescript/src/cli/api-command";
import { runNamed } from "../clients/typescript/src/cli/command-line";
import { listen } from "../clients/typescript/src/cli/listen";
import { send } from "../clients/typescript/src/cli/send";
import { status } from "../clients/typescript/src/cli/status";
import { templates } from "../clients/typescript/src/cli/templates";
import { doctor } from "./cli/doctor";
import { logs } from "./cli/logs";
import { trigger } from "./cli/trigger";
import { webhook } from "./cli/webhook";
import { readDemo } from "./running-demo";

// The partner's commands are those of the package in clients/typescript; here they also find the running demo.
const SHELL: Shell = {
  program: "npm run --silent cli --",
  fallbackText: "Where none of them is set, the running demo's are taken.",
  fallback: () => {
    const demo = readDemo();
    return demo && { apiKey: demo.apiKey, apiSecret: demo.apiSecret, origin: demo.baseUrl };
  },
};

const USAGE = `Usage: ${SHELL.program} COMMAND …

With an API key, at any gateway:
  send              sends a message
  status            the status of a message
  templates         the approved templates, and the keys that a send fills
  listen            receives webhooks on this computer, and forwards them

With the environment of the gateway itself:
  logs tail         the calls of a workspace, as they come in
  trigger           reports the status of a test message to the gateway
  webhook replay    signs a recorded webhook and delivers it again
  doctor            says what is wrong with the deployment

${SHELL.program} COMMAND --help says more.
`;

const COMMANDS = {
  send: send(SHELL),
  status: status(SHELL),
  templates: templates(SHELL),
  listen: listen(SHELL),
  logs,
  trigger,
  webhook,
  doctor,
};

await runNamed(COMMANDS, USAGE, process.argv.slice(2));
