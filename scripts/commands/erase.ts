import { erasePhone } from "@/lib/contacts/erase-phone";
import { readPhone } from "@/lib/core/phone";
import { command } from "@/lib/workspaces/record-audit";
import { required, UsageError } from "../../clients/typescript/src/cli/command-line";
import { runCommand, workspaceOf } from "../operator-command";

const USAGE = `Usage: switchboard erase --workspace REF --phone NUMBER

Removes a recipient from a workspace, for good: number, name, contents and the reasons of failures. Ids, statuses and
counters stay. Prints how many rows it changed; running it again is harmless.
With \`forgotStop\` the person had stopped marketing messages, which is forgotten, too: a later send to the number is not
refused. Take it off your own lists.
`;

export function erase(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, options: ["workspace", "phone"], args }, async (given) => {
    const reading = readPhone(required(given.option("phone"), "--phone NUMBER"));
    if ("fault" in reading) throw new UsageError(`--phone ${reading.fault}`);
    return { answer: await erasePhone(await workspaceOf(given), reading.phone, command("erase")) };
  });
}
