import { randomBytes, randomInt } from "node:crypto";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { displayPhoneNumber } from "@/lib/sandbox/phone-numbers";
import type { Author } from "@/lib/workspaces/author";
import { store } from "./connect-phone-number";
import { findTestAccount } from "./queries";

/** Adds a line of the built-in sandbox: a number that is not assigned, and a token that opens nothing else. */
export async function addTestLine(
  workspaceId: WorkspaceId,
  { label }: { label: string },
  by: Author,
): Promise<{ id: string }> {
  const whatsappPhoneNumberId = freshId();
  return store(workspaceId, {
    by,
    label,
    mode: "test",
    accessToken: `sandbox_${randomBytes(24).toString("base64url")}`,
    columns: {
      whatsappPhoneNumberId,
      whatsappBusinessAccountId: (await findTestAccount(workspaceId)) ?? freshId(),
      displayPhoneNumber: displayPhoneNumber(whatsappPhoneNumberId),
      verifiedName: null,
      qualityRating: null,
    },
  });
}

const freshId = () => `1${randomInt(10 ** 13, 10 ** 14)}`;
