import { RESET_MINUTES } from "@/lib/auth/credential-limits";
import { makeOperatorsResetLink, resetAddress } from "@/lib/auth/reset-password";
import { env } from "@/lib/core/env";
import { command } from "@/lib/workspaces/record-audit";
import { required } from "../../clients/typescript/src/cli/command-line";
import { onDeployment, run } from "../operator-command";

const USAGE = `Usage: switchboard reset-password --email ADDRESS

Prints a link with which the owner of the account sets a new password. It works once, within ${RESET_MINUTES} minutes, and only the newest
link of an account works. Nothing changes until it is used; then every session of the account ends.
`;

export function resetPassword(args: string[]): Promise<void> {
  return run({ usage: USAGE, options: ["email"], args }, async ({ option }) => {
    const email = required(option("email"), "--email ADDRESS");
    return onDeployment(async () => {
      const link = await makeOperatorsResetLink(email, command("reset-password"));
      process.stdout.write(`${resetAddress(env().APP_URL, link.token)}\n`);
      process.stderr.write(
        `For ${link.name} (${link.email}). Works once, until ${link.expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC.\n`,
      );
      return true;
    });
  });
}
