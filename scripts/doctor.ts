import { parseArgs } from "node:util";
import { closePools } from "@/db/client";
import { examineDeployment } from "@/lib/deployment/examine-deployment";
import type { Finding } from "@/lib/deployment/finding";
import { sentenceOf } from "./failure";
import { adoptRunningDemo } from "./running-demo";

const USAGE = `Usage: npm run --silent doctor [-- --json]

Looks at the deployment of this environment: variables, database, limiter's store, platform, public address, webhook and
stored tokens. Says of each what is wrong and what to do. Ends with 1 where anything failed; a warning is no failure.
`;

const WORDS = { passed: "ok  ", warning: "warn", failed: "FAIL" } as const;
const NAME_WIDTH = 16;

const lineOf = ({ name, state, words, advice }: Finding): string =>
  `${WORDS[state]}  ${name.padEnd(NAME_WIDTH)}${words}.\n${advice ? `${" ".repeat(6 + NAME_WIDTH)}${advice}\n` : ""}`;

const examine = async (isJson: boolean): Promise<void> => {
  const findings: Finding[] = [];
  for await (const finding of examineDeployment()) {
    findings.push(finding);
    if (!isJson) process.stdout.write(lineOf(finding));
  }
  const isWell = findings.every(({ state }) => state !== "failed");
  if (isJson) process.stdout.write(`${JSON.stringify({ isWell, findings }, null, 2)}\n`);
  process.exitCode = isWell ? 0 : 1;
};

const readArguments = () => {
  try {
    return parseArgs({ options: { json: { type: "boolean" }, help: { type: "boolean" } } }).values;
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
};

const given = readArguments();
if (given?.help) process.stderr.write(USAGE);
else if (given) {
  try {
    if (adoptRunningDemo()) process.stderr.write("The running demo is looked at; set DATABASE_URL for another one.\n");
    await examine(given.json === true);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  } finally {
    await closePools();
  }
}
