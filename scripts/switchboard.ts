import { closest } from "fastest-levenshtein";
import { DEFAULT_ORIGIN, type Shell } from "../clients/typescript/src/cli/api-command";
import type { Command } from "../clients/typescript/src/cli/command-line";
import { readDemo } from "./running-demo";

// The partner's commands are those of the package in clients/typescript; here they also find the running demo.
const SHELL: Shell = {
  program: "switchboard",
  origin: DEFAULT_ORIGIN,
  fallbackText: "Where none of them is set, the running demo's are taken.",
  fallback: () => {
    const demo = readDemo();
    return demo && { apiKey: demo.apiKey, apiSecret: demo.apiSecret, origin: demo.baseUrl };
  },
};

type Entry = [does: string, load: () => Promise<Command>];

/** Each is loaded once it is asked for: some need nearly all of `lib`. */
const GROUPS: Record<string, Record<string, Entry>> = {
  "With the gateway's environment": {
    migrate: [
      "brings the database's schema up to date",
      () => import("./commands/migrate").then(({ migrate }) => migrate),
    ],
    doctor: ["says what is wrong with the deployment", () => import("./commands/doctor").then(({ doctor }) => doctor)],
    provision: [
      "creates workspaces, lines and keys from a file",
      () => import("./commands/provision").then(({ provision }) => provision),
    ],
    keys: [
      "lists, creates, limits, rotates and revokes API keys",
      () => import("./commands/keys").then(({ keys }) => keys),
    ],
    "reset-password": [
      "prints a link to set a new password",
      () => import("./commands/reset-password").then(({ resetPassword }) => resetPassword),
    ],
    "remove-second-factor": [
      "lets an account in whose device is lost",
      () => import("./commands/remove-second-factor").then(({ removeSecondFactor }) => removeSecondFactor),
    ],
    erase: ["removes a recipient from a workspace", () => import("./commands/erase").then(({ erase }) => erase)],
    "rate-card": [
      "replaces a workspace's rate card",
      () => import("./commands/rate-card").then(({ rateCard }) => rateCard),
    ],
    "encryption-rotate": [
      "re-encrypts stored tokens with ENCRYPTION_KEY",
      () => import("./commands/encryption-rotate").then(({ encryptionRotate }) => encryptionRotate),
    ],
    "restore-guard": [
      "holds live sends back after a restore",
      () => import("./commands/restore-guard").then(({ restoreGuard }) => restoreGuard),
    ],
    logs: ["shows a workspace's calls as they arrive", () => import("./commands/logs").then(({ logs }) => logs)],
    webhook: [
      "signs a recorded webhook and delivers it again",
      () => import("./commands/webhook").then(({ webhook }) => webhook),
    ],
    trigger: ["reports a status of a test message", () => import("./commands/trigger").then(({ trigger }) => trigger)],
  },
  "With an API key (CHAT_API_KEY, CHAT_API_SECRET), at any gateway": {
    send: ["sends a message", () => import("../clients/typescript/src/cli/send").then(({ send }) => send(SHELL))],
    status: [
      "prints a message's status; --watch follows it",
      () => import("../clients/typescript/src/cli/status").then(({ status }) => status(SHELL)),
    ],
    templates: [
      "lists the approved templates and their variables",
      () => import("../clients/typescript/src/cli/templates").then(({ templates }) => templates(SHELL)),
    ],
    listen: [
      "receives webhooks on this computer, and forwards them",
      () => import("../clients/typescript/src/cli/listen").then(({ listen }) => listen(SHELL)),
    ],
  },
  "Without either": {
    sandbox: ["runs a stand-in of WhatsApp's API", () => import("./commands/sandbox").then(({ sandbox }) => sandbox)],
  },
};

const COMMANDS: Record<string, Entry> = Object.assign({}, ...Object.values(GROUPS));

/** In a clone the sources run; an image and an installed build hold the bundles only. */
const START = import.meta.url.endsWith(".ts") ? "npm run --silent switchboard --" : "node scripts/start.mjs";
const NAME_WIDTH = 22;

function usage(): string {
  const groups = Object.entries(GROUPS).map(([title, entries]) => {
    const lines = Object.entries(entries).map(([name, [does]]) => `  ${name.padEnd(NAME_WIDTH)}${does}\n`);
    return `${title}:\n${lines.join("")}`;
  });
  return `Usage: ${START} COMMAND …   (COMMAND --help says more)\n\n${groups.join("")}`;
}

const [name = "", ...args] = process.argv.slice(2);
const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (entry) {
  const command = await entry[1]();
  await command(args);
} else if (name === "--help" || name === "help") {
  process.stdout.write(usage());
} else {
  const unknown = `There is no command "${name}". Did you mean ${closest(name, Object.keys(COMMANDS))}?\n\n`;
  process.stderr.write(`${name ? unknown : ""}${usage()}`);
  process.exitCode = 2;
}
