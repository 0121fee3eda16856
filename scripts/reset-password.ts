import { RESET_MINUTES } from "@/lib/auth/credential-limits";
import { makeOperatorsResetLink, resetAddress } from "@/lib/auth/reset-password";
import { env } from "@/lib/core/env";
import { command } from "@/lib/workspaces/record-audit";
import { noMore, required, run } from "./command-line";
import { onDeployment } from "./operator-command";

const USAGE = `Usage: npm run --silent reset-password -- --email ADDRESS

Prints a link with which the owner of the account sets a new password. It works once, within ${RESET_MINUTES} minutes, and only the newest
link of an account works. Nothing changes until it is used; then every session of the account ends.
`;

await run({ usage: USAGE, options: ["email"] }, async ({ option, positionals }) => {
  const email = required(option("email"), "--email ADDRESS");
  noMore(positionals);
  return onDeployment(async () => {
    const link = await makeOperatorsResetLink(email, command("reset-password"));
    process.stdout.write(`${resetAddress(env().APP_URL, link.token)}\n`);
    process.stderr.write(
      `For ${link.name} (${link.email}). Works once, until ${link.expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC.\n`,
    );
    return true;
  });
});
