import { removeFactorOf } from "@/lib/auth/change-second-factor";
import { command } from "@/lib/workspaces/record-audit";
import { required } from "../../clients/typescript/src/cli/command-line";
import { onDeployment, run } from "../operator-command";

const USAGE = `Usage: switchboard remove-second-factor --email ADDRESS

Removes the second factor of an account whose device and recovery codes are lost, and ends its sessions. First make sure who asks:
from then on the password opens the account. A workspace that requires a second factor asks for a new one at the next sign-in.
`;

export function removeSecondFactor(args: string[]): Promise<void> {
  return run({ usage: USAGE, options: ["email"], args }, async ({ option }) => {
    const email = required(option("email"), "--email ADDRESS");
    return onDeployment(async () => {
      const { name, email: address } = await removeFactorOf(email, command("remove-second-factor"));
      process.stderr.write(`Removed the second factor of ${name} (${address}).\n`);
      return true;
    });
  });
}
