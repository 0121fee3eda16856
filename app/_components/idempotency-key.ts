/** A key that no other message has. Not `randomUUID`, which plain http does not have. */
export function newIdempotencyKey(prefix: string): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  return `${prefix}-${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
