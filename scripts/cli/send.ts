import type { Recipient, SendRequest } from "@/lib/docs/client";
import { CREDENTIALS, printDocument, readInput, runApiCommand, watchMessage } from "../api-command";
import { type Arguments, noMore, required, UsageError } from "../command-line";

const USAGE = `Usage: npm run --silent cli -- send --to PHONE --text TEXT
       npm run --silent cli -- send --to PHONE --template NAME [--language en_US] [--var 1=Ada --var 2=8812 …]
       npm run --silent cli -- send --body FILE

       --contact ct_…    in place of --to
       --line pn_…       the line that sends, once the workspace has several
       --key TEXT        the idempotency key; one is made unless you say
       --watch           then prints each new status, a line of JSON each, until READ or FAILED

FILE is the whole request as JSON; - is standard input. Prints the message.
${CREDENTIALS}`;

const OPTIONS = ["to", "contact", "text", "template", "language", "body", "line", "key"];
/** What a request in a file says itself. */
const WITHOUT_BODY = OPTIONS.filter((name) => name !== "body" && name !== "key");

export const send = (args: string[]): Promise<void> =>
  runApiCommand({ usage: USAGE, options: OPTIONS, lists: ["var"], flags: ["watch"], args }, async (client, given) => {
    noMore(given.positionals);
    const idempotencyKey = given.option("key");
    const message = await client.send(requestOf(given), idempotencyKey === undefined ? {} : { idempotencyKey });
    if (given.flag("watch")) await watchMessage(client, message);
    else printDocument(message);
  });

const requestOf = (given: Arguments): SendRequest => {
  const file = given.option("body");
  if (file === undefined) return { ...recipientOf(given), ...lineOf(given), ...contentOf(given) };
  const beside = WITHOUT_BODY.find((name) => given.option(name) !== undefined);
  if (beside) throw new UsageError(`--${beside} cannot stand beside --body, which says everything.`);
  return readRequest(file);
};

/** Whatever it holds: what is wrong with it the API says better. */
const readRequest = (file: string): SendRequest => {
  const text = readInput(file).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${file} holds no JSON.`);
  }
};

const recipientOf = ({ option }: Arguments): Recipient => {
  const contactId = option("contact");
  return contactId === undefined ? { phone: required(option("to"), "--to PHONE") } : { contactId };
};

const lineOf = ({ option }: Arguments): { phoneNumberId?: string } => {
  const phoneNumberId = option("line");
  return phoneNumberId === undefined ? {} : { phoneNumberId };
};

const contentOf = (given: Arguments) => {
  const [content, templateName] = [given.option("text"), given.option("template")];
  if (content !== undefined && templateName !== undefined) throw new UsageError("Say --text or --template, not both.");
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
