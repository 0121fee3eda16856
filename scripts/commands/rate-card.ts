import { readFileSync } from "node:fs";
import { decodeText } from "@/lib/core/text";
import { encodingOf } from "@/lib/core/text-file";
import { replaceRateCard } from "@/lib/costs/change-rate-card";
import { readRateCard } from "@/lib/costs/rate-card";
import { command } from "@/lib/workspaces/record-audit";
import { required } from "../../clients/typescript/src/cli/command-line";
import { runCommand, workspaceOf } from "../operator-command";

const USAGE = `Usage: switchboard rate-card --workspace REF --file FILE.csv

Replaces a workspace's rate card, by which its costs are estimated, from its first day on: WhatsApp's price list as it is, or one
price a row, with the headings country, category, price, currency and valid from. Prints how many prices it has and which rows were left out; with a
fault it prints the rows to fix and saves nothing.
`;

export function rateCard(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, options: ["workspace", "file"], args }, async (given) => {
    const file = required(given.option("file"), "--file FILE.csv");
    const bytes = readFileSync(file);
    const { rates, rows, faults } = readRateCard(decodeText(bytes, encodingOf(bytes)));
    if (faults.length > 0) return { answer: { saved: 0, faults }, isDone: false };
    const budgetRemoved = await replaceRateCard(await workspaceOf(given), { rates, rows }, command("rate-card"));
    const leftOut = rows
      .filter(({ isRead }) => !isRead)
      .map(({ row, given, outcome }) => ({ row, given, reason: outcome }));
    return {
      answer: { saved: rates.length, ...(leftOut.length > 0 && { leftOut }), ...(budgetRemoved && { budgetRemoved }) },
    };
  });
}
