import { encryptionKeys } from "@/lib/core/crypto";
import { ACCESS_TOKENS, ENDPOINT_SECRETS, reEncrypt } from "@/lib/operations/re-encrypt";
import { runCommand } from "../operator-command";

const USAGE = `Usage: switchboard encryption-rotate

Encrypts every stored access token and webhook secret again under ENCRYPTION_KEY, while sends go on. First let every server run with the new
ENCRYPTION_KEY and the old one as ENCRYPTION_KEY_PREVIOUS; when this has ended well, remove the old one.
`;

export function encryptionRotate(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, args }, async () => {
    const tokens = await reEncrypt(ACCESS_TOKENS, encryptionKeys());
    const secrets = await reEncrypt(ENDPOINT_SECRETS, encryptionKeys());
    for (const line of tokens.unreadable) {
      process.stderr.write(`The token of ${line} opens under neither key: provision or connect the line again.\n`);
    }
    for (const endpoint of secrets.unreadable) {
      process.stderr.write(`The secret of webhook endpoint ${endpoint} opens under neither key: rotate it.\n`);
    }
    const unreadable = tokens.unreadable.length + secrets.unreadable.length;
    const answer = {
      resealed: tokens.resealed + secrets.resealed,
      alreadyCurrent: tokens.alreadyCurrent + secrets.alreadyCurrent,
      unreadable,
    };
    return { answer, isDone: unreadable === 0 };
  });
}
