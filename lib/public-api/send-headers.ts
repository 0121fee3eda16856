type Sent = { isReplay: boolean; isLeftNumber?: boolean | undefined; ignoredFields: readonly string[] };

/** What an answer to a send says beside its body: that it is a replay, which fields had no effect, and whose number it was. */
export function sendHeaders({ isReplay, isLeftNumber = false, ignoredFields }: Sent): Record<string, string> {
  const warnings = [
    ...(ignoredFields.length > 0
      ? [`${ignoredFields.join(", ")} ignored: templateComponents is passed on unchanged`]
      : []),
    ...(isLeftNumber ? ["the person with this number has changed it; send by contactId to reach them"] : []),
  ];
  return {
    ...(isReplay ? { "Idempotent-Replayed": "true" } : {}),
    ...(warnings.length > 0 ? { Warning: warnings.map((text) => `299 - "${text}"`).join(", ") } : {}),
  };
}
