import { type Arguments, type CommandLine, runCommandLine } from "../clients/typescript/src/cli/command-line";
import { sentenceOf } from "./failure";

export {
  type Arguments,
  type CommandLine,
  noMore,
  required,
  UsageError,
} from "../clients/typescript/src/cli/command-line";

/** Runs an operator's command; database errors are reported with a fix. */
export function run(line: CommandLine, work: (given: Arguments) => Promise<boolean>): Promise<void> {
  return runCommandLine(line, work, sentenceOf);
}
