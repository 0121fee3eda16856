import { createHash } from "node:crypto";

/** One account however its address is written; what people type there may be anything, so it is not kept as it is. */
export function accountDigest(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("hex");
}
