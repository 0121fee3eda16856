import { isNull } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns-of";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import { currentSeal, encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";

type StoredLine = Pick<PhoneNumber, "workspaceId" | "id" | "mode" | "accessToken">;

const MAX_NAMED = 5;

/** Returns the lines of all workspaces, for the operator's check, which reports only counts and ids. */
export function listStoredLines(): Promise<StoredLine[]> {
  return onDatabase((db) =>
    db
      .select(columnsOf(phoneNumbers, "workspaceId", "id", "mode", "accessToken"))
      .from(phoneNumbers)
      .where(isNull(phoneNumbers.disconnectedAt)),
  );
}

/** Checks that the environment's keys decrypt every stored token. */
export function checkTokens(lines: readonly StoredLine[]): Finding {
  const keys = encryptionKeys();
  const sealed = lines.flatMap(({ workspaceId, id, accessToken }) => {
    const row = `${workspaceId}/${id}`;
    return tryDecrypt(accessToken, row, keys) === undefined ? [row] : [];
  });
  if (sealed.length > 0) {
    const named = [...sealed.slice(0, MAX_NAMED), ...(sealed.length > MAX_NAMED ? ["…"] : [])].join(", ");
    const words = `${sealed.length} of ${lines.length} stored tokens open under no key of this environment: ${named}`;
    const advice =
      "Set ENCRYPTION_KEY (or ENCRYPTION_KEY_PREVIOUS) to the key that wrote them, or connect the lines again.";
    return failed("tokens", words, advice);
  }
  const older = lines.filter(({ accessToken }) => !accessToken.startsWith(currentSeal(keys))).length;
  if (older === 0) return passed("tokens", `ENCRYPTION_KEY opens every stored token (${lines.length})`);
  const words = `${older} of ${lines.length} stored tokens still need ENCRYPTION_KEY_PREVIOUS`;
  return warned("tokens", words, "Run `npm run encryption:rotate` before you remove it.");
}
