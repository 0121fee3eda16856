import { closePools } from "@/db/client";
import type { Finding } from "@/lib/core/finding";
import { examineDeployment } from "@/lib/operations/examine-deployment";
import { run } from "../operator-command";
import { adoptRunningDemo } from "../running-demo";

const USAGE = `Usage: switchboard doctor [--json]

Looks at the deployment of this environment: variables, database, limiter's store, platform, public address, webhook and
stored tokens. Says of each what is wrong and what to do. Ends with 1 where anything failed; a warning is no failure.
`;

const WORDS = { passed: "ok  ", warning: "warn", failed: "FAIL" } as const;
const NAME_WIDTH = 16;

export function doctor(args: string[]): Promise<void> {
  return run({ usage: USAGE, flags: ["json"], args }, async ({ flag }) => {
    if (adoptRunningDemo()) process.stderr.write("This is the demo; set DATABASE_URL to look at another deployment.\n");
    try {
      return await examine(flag("json"));
    } finally {
      await closePools();
    }
  });
}

async function examine(isJson: boolean): Promise<boolean> {
  const findings: Finding[] = [];
  for await (const finding of examineDeployment()) {
    findings.push(finding);
    if (!isJson) process.stdout.write(lineOf(finding));
  }
  const isWell = findings.every(({ state }) => state !== "failed");
  if (isJson) process.stdout.write(`${JSON.stringify({ isWell, findings }, null, 2)}\n`);
  return isWell;
}

const lineOf = ({ name, state, words, advice }: Finding): string =>
  `${WORDS[state]}  ${name.padEnd(NAME_WIDTH)}${words}.\n${advice ? `${" ".repeat(6 + NAME_WIDTH)}${advice}\n` : ""}`;
