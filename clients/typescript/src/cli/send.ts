import type { SendRequest } from "../requests.js";
import { credentialsText, runApiCommand, type Shell, watchMessage } from "./api-command.js";
import { type Arguments, type Command, noMore, required, UsageError } from "./command-line.js";
import { printDocument, readInput } from "./documents.js";

const usage = (shell: Shell): string => {
  const indent = " ".repeat("Usage: ".length);
  return `Usage: ${shell.program} send --to PHONE --text TEXT
${indent}${shell.program} send --to PHONE --template NAME [--language en_US] [--var 1=Ada --var 2=8812 …]
${indent}${shell.program} send --body FILE

       --contact ct_…    in place of --to
       --line pn_…       the line that sends, once the workspace has several
       --key TEXT        the idempotency key; by default a random one
       --watch           then prints each new status, a line of JSON each, until READ or FAILED, which ends it with 1

FILE is the whole request as JSON; - is standard input. Prints the message.
${credentialsText(shell)}
`;
};

const OPTIONS = ["to", "contact", "text", "template", "language", "body", "line", "key"];
/** Options that a request in a file replaces. */
const WITHOUT_BODY = [...OPTIONS.filter((name) => name !== "body" && name !== "key"), "var"];
/** Options of a template. */
const WITHOUT_TEXT = ["template", "language", "var"];

/** `send`: sends one message and prints it. */
export const send =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(
      shell,
      { usage: usage(shell), options: OPTIONS, lists: ["var"], flags: ["watch"], args },
      async (client, given) => {
        noMore(given.positionals);
        const message = await client.send(requestOf(given), { idempotencyKey: given.option("key") });
        if (given.flag("watch")) return watchMessage(client, message);
        printDocument(message);
        return true;
      },
    );

const requestOf = (given: Arguments): SendRequest => {
  const file = given.option("body");
  if (file === undefined) return { ...recipientOf(given), ...lineOf(given), ...contentOf(given) };
  const beside = firstOf(given, WITHOUT_BODY);
  if (beside) throw new UsageError(`--${beside} cannot be combined with --body: the file holds the whole request.`);
  return readRequest(file);
};

const firstOf = ({ option, list }: Arguments, names: readonly string[]): string | undefined =>
  names.find((name) => option(name) !== undefined || list(name).length > 0);

/** Any JSON: the API says best what is wrong with it. */
const readRequest = (file: string): SendRequest => {
  const text = readInput(file).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not JSON.`);
  }
};

const recipientOf = ({ option }: Arguments): { phone: string } | { contactId: string } => {
  const [phone, contactId] = [option("to"), option("contact")];
  if (phone !== undefined && contactId !== undefined) throw new UsageError("Use either --to or --contact.");
  return contactId === undefined ? { phone: required(phone, "--to PHONE") } : { contactId };
};

const lineOf = ({ option }: Arguments): { phoneNumberId?: string } => {
  const phoneNumberId = option("line");
  return phoneNumberId === undefined ? {} : { phoneNumberId };
};

const contentOf = (given: Arguments) => {
  const [content, templateName] = [given.option("text"), given.option("template")];
  const beside = content === undefined ? undefined : firstOf(given, WITHOUT_TEXT);
  if (beside) throw new UsageError(`--${beside} cannot be combined with --text.`);
  if (content !== undefined) return { type: "text" as const, content };
  const templateLanguage = given.option("language");
  return {
    type: "template" as const,
    templateName: required(templateName, "--text TEXT or --template NAME"),
    ...(templateLanguage === undefined ? {} : { templateLanguage }),
    templateVariables: Object.fromEntries(given.list("var").map(readVariable)),
  };
};

const readVariable = (given: string): [key: string, value: string] => {
  const end = given.indexOf("=");
  if (end > 0) return [given.slice(0, end), given.slice(end + 1)];
  throw new UsageError(`--var ${given} must be KEY=VALUE.`);
};
