#!/usr/bin/env node
import type { Shell } from "./api-command.js";
import { runNamed } from "./command-line.js";
import { send } from "./send.js";
import { status } from "./status.js";
import { templates } from "./templates.js";

const SHELL: Shell = { program: "npx switchboard-client" };

const USAGE = `Usage: ${SHELL.program} COMMAND …

  send              sends a message
  status            prints the status of a message; --watch follows it
  templates         lists the approved templates, and the keys that a send fills

${SHELL.program} COMMAND --help says more.
`;

await runNamed({ send: send(SHELL), status: status(SHELL), templates: templates(SHELL) }, USAGE, process.argv.slice(2));
