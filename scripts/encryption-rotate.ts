import { resealTokens } from "@/lib/phone-numbers/reseal-tokens";
import { encryptionKeys } from "@/lib/secrets/encryption-keys";
import { UsageError } from "./command-line";
import { runCommand } from "./operator-command";

const USAGE = `Usage: npm run --silent encryption:rotate

Encrypts every stored access token again under ENCRYPTION_KEY, while sends go on. First let every server run with the new
ENCRYPTION_KEY and the old one as ENCRYPTION_KEY_PREVIOUS; when this has ended well, remove the old one.
`;

await runCommand({ usage: USAGE, options: [] }, async ({ positionals }) => {
  if (positionals.length > 0) throw new UsageError("Nothing is taken.");
  const { unreadable, ...counts } = await resealTokens(encryptionKeys());
  for (const line of unreadable) {
    process.stderr.write(`The token of ${line} opens under neither key: provision or connect the line again.\n`);
  }
  return { answer: { ...counts, unreadable: unreadable.length }, isDone: unreadable.length === 0 };
});
