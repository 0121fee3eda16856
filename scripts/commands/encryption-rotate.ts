import { encryptionKeys } from "@/lib/core/crypto";
import { ACCESS_TOKENS, ENDPOINT_SECRETS, FACTOR_SECRETS, reEncrypt } from "@/lib/operations/re-encrypt";
import { runCommand } from "../operator-command";

const USAGE = `Usage: switchboard encryption-rotate

Encrypts every stored access token, webhook secret and secret of a second factor again under ENCRYPTION_KEY, while sends go on. First let every server run with the new
ENCRYPTION_KEY and the old one as ENCRYPTION_KEY_PREVIOUS; when this has ended well, remove the old one.
`;

export function encryptionRotate(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, args }, async () => {
    const tokens = await reEncrypt(ACCESS_TOKENS, encryptionKeys());
    const secrets = await reEncrypt(ENDPOINT_SECRETS, encryptionKeys());
    const factors = await reEncrypt(FACTOR_SECRETS, encryptionKeys());
    for (const line of tokens.unreadable) {
      process.stderr.write(`The token of ${line} opens under neither key: provision or connect the line again.\n`);
    }
    for (const endpoint of secrets.unreadable) {
      process.stderr.write(`The secret of webhook endpoint ${endpoint} opens under neither key: rotate it.\n`);
    }
    for (const account of factors.unreadable) {
      process.stderr.write(`The second factor of ${account.slice(1)} opens under neither key: remove it.\n`);
    }
    const all = [tokens, secrets, factors];
    const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
    const unreadable = sum((one) => one.unreadable.length);
    const answer = {
      resealed: sum(({ resealed }) => resealed),
      alreadyCurrent: sum(({ alreadyCurrent }) => alreadyCurrent),
      unreadable,
    };
    return { answer, isDone: unreadable === 0 };
  });
}
