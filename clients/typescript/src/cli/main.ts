#!/usr/bin/env node
import type { Shell } from "./api-command.js";
import { runNamed } from "./command-line.js";
import { doctor } from "./doctor.js";
import { listen } from "./listen.js";
import { send } from "./send.js";
import { status } from "./status.js";
import { templates } from "./templates.js";
import { trigger } from "./trigger.js";

const SHELL: Shell = { program: "npx switchboard-client" };

const USAGE = `Usage: ${SHELL.program} COMMAND …

  send              sends a message
  status            prints the status of a message; --watch follows it
  templates         lists the approved templates, and the keys that a send fills
  trigger           causes an event in the sandbox
  listen            receives webhooks on this computer, and forwards them
  doctor            says what is wrong between this computer and the gateway

${SHELL.program} COMMAND --help says more.
`;

const COMMANDS = {
  send: send(SHELL),
  status: status(SHELL),
  templates: templates(SHELL),
  trigger: trigger(SHELL),
  listen: listen(SHELL),
  doctor: doctor(SHELL),
};

await runNamed(COMMANDS, USAGE, process.argv.slice(2));
