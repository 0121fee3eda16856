/** What an answer to a send says beside its body: that it is a replay, and which fields had no effect. */
export const sendHeaders = ({
  isReplay,
  ignoredFields,
}: {
  isReplay: boolean;
  ignoredFields: readonly string[];
}): Record<string, string> => ({
  ...(isReplay ? { "Idempotent-Replayed": "true" } : {}),
  ...(ignoredFields.length > 0
    ? { Warning: `299 - "${ignoredFields.join(", ")} ignored: templateComponents is passed on unchanged"` }
    : {}),
});
