#!/usr/bin/env node
import path from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../version.js";
import { DEFAULT_ORIGIN, type Shell } from "./api-command.js";
import { runNamed } from "./command-line.js";
import { doctor } from "./doctor.js";
import { listen } from "./listen.js";
import { gatewayInstalledFrom } from "./own-gateway.js";
import { send } from "./send.js";
import { status } from "./status.js";
import { templates } from "./templates.js";
import { trigger } from "./trigger.js";

// `--no`: without it, npx outside of the package's folder runs what anyone may publish under this name.
const SHELL: Shell = {
  program: "npx --no -- switchboard-client",
  origin: gatewayInstalledFrom(path.dirname(fileURLToPath(import.meta.url))) ?? DEFAULT_ORIGIN,
};

const USAGE = `Usage: ${SHELL.program} COMMAND …

  send              sends a message
  status            prints the status of a message; --watch follows it
  templates         lists the approved templates, and the keys that a send fills
  trigger           causes an event in the sandbox
  listen            receives webhooks on this computer, and forwards them
  doctor            says what is wrong between this computer and the gateway

${SHELL.program} COMMAND --help says more; --version prints the version.
`;

const COMMANDS = {
  send: send(SHELL),
  status: status(SHELL),
  templates: templates(SHELL),
  trigger: trigger(SHELL),
  listen: listen(SHELL),
  doctor: doctor(SHELL),
};

const words = process.argv.slice(2);
if (words[0] === "--version") process.stdout.write(`${VERSION}\n`);
else await runNamed(COMMANDS, USAGE, words);
