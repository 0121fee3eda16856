import { describe, expect, test } from "vitest";
import { CODE_RULES } from "@/lib/whatsapp/error-codes";
import { scriptMessages } from "../../support/platform-answers";
import { onRows } from "../../support/rows";
import { sentBodies } from "../../support/sends";
import { graphError, provisionWorkspace } from "../../support/workspace";

type Row = [code: number, retryAfterSeconds: number | null];

/** What a caller must change, in the request or outside of it: the key is spent. */
const SPENT: Row[] = [
  100, 130472, 131008, 131009, 131021, 131026, 131030, 131047, 131050, 131051, 131053, 131055, 131062, 132000, 132001,
  132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068, 134100, 135000, 137000,
].map((code) => [code, null]);

/** Passes by itself though it is about this message: the key stays. */
const PASSES: Row[] = [...([130403, 132069] as const).map((code): Row => [code, 3_600]), [131049, 86_400]];

/** The line's owner, the operator or WhatsApp: the key stays, whether or not it passes by itself. */
const LINES: Row[] = [
  ...[0, 3, 10, 33, 104, 190, 368, 803, 130497, 131005, 131031, 131037, 131042, 131044, 131045, 131063, 131064].map(
    (code): Row => [code, null],
  ),
  ...[133000, 133005, 133006, 133008, 133009, 133010, 134011, 134102].map((code): Row => [code, null]),
  ...[2, 131016, 133004].map((code): Row => [code, 30]),
  ...[4, 613, 80007].map((code): Row => [code, 60]),
  ...[131057, 2494100].map((code): Row => [code, 120]),
  ...[131048, 133016].map((code): Row => [code, 3_600]),
  ...[[130429, 1] as const, [131056, 6] as const, [133015, 300] as const, [134101, 600] as const].map(
    ([code, seconds]): Row => [code, seconds],
  ),
];

const GROUPS = [
  ["400, and the key is spent", 400, "REFUSED", SPENT],
  ["400 that passes by itself, and the key sends later", 400, "REFUSED_RETRYABLE", PASSES],
  ["502, and the key sends later", 502, "REFUSED_RETRYABLE", LINES],
] as const;

test("the groups below name every code of the table", () => {
  const named = GROUPS.flatMap(([, , , rows]) => rows.map(([code]) => code));
  expect(named.toSorted((a, b) => a - b)).toEqual([...CODE_RULES.keys()].sort((a, b) => a - b));
});

describe.each(GROUPS)("%s", (_, status, phase, rows) => {
  test("each code: status, retryable, the wait, the row's phase, the text, and what the same key does", {
    timeout: 120_000,
  }, async () => {
    const workspace = await provisionWorkspace();
    for (const [index, [code, seconds]] of rows.entries()) {
      await scriptMessages(workspace, [graphError(code)]);
      const body = { type: "text", phone: `4477009${String(index).padStart(5, "0")}`, content: "Hello" };
      const headers = { "Idempotency-Key": `code-${code}` };
      const answer = await workspace.send(body, headers);
      const { messageId = "", outcome, retryable, retryAfterSeconds = null } = answer.body.details;
      const [row] = await onRows((sql) => sql`select phase from messages where id = ${messageId}`);
      const before = (await sentBodies(workspace.whatsappPhoneNumberId)).length;
      const again = await workspace.send(body, headers);
      const calls = (await sentBodies(workspace.whatsappPhoneNumberId)).length - before;
      const isSpent = phase === "REFUSED";
      expect(
        {
          code,
          status: answer.status,
          error: answer.body.error,
          outcome,
          retryable,
          retryAfterSeconds,
          header: answer.headers.get("retry-after"),
          phase: row?.phase,
          again: again.status,
          id: again.body.data.id === messageId,
          calls,
        },
        answer.text,
      ).toEqual({
        code,
        status,
        error: "CHAT_GRAPH_ERROR",
        outcome: "not_sent",
        retryable: seconds !== null,
        retryAfterSeconds: seconds,
        header: seconds === null ? null : `${seconds}`,
        phase,
        again: isSpent ? 200 : 201,
        id: true,
        calls: isSpent ? 0 : 1,
      });
      expect(answer.body.message).toContain(isSpent ? "Use a new Idempotency-Key." : "with the same Idempotency-Key.");
    }
  });
});
