import { describe, expect, test } from "vitest";
import { type ClientAnswer, checkHistory, type History, type Invariant, type PlatformCall } from "../faults/history";

const call = (changes: Partial<PlatformCall> = {}): PlatformCall => ({
  recipient: "1",
  messageId: "msg_1",
  isAccepted: true,
  atMs: 100,
  ...changes,
});

const answer = (changes: Partial<ClientAnswer> = {}): ClientAnswer => ({
  baseUrl: "http://a",
  recipient: "1",
  key: "k",
  status: 201,
  messageId: "msg_1",
  outcome: null,
  isHung: false,
  endedAtMs: 200,
  ms: 100,
  ...changes,
});

/** One message, sent, reported and counted: everything holds. */
const sound = (changes: Partial<History> = {}): History => ({
  calls: [call()],
  reported: ["1"],
  rows: [{ id: "msg_1", recipient: "1", phase: "SENT", status: "DELIVERED", ageSeconds: 1 }],
  changes: [
    { id: "msg_1", attempt: 1, phase: "ACCEPTED", status: "PENDING" },
    { id: "msg_1", attempt: 1, phase: "DISPATCHING", status: "PENDING" },
    { id: "msg_1", attempt: 1, phase: "SENT", status: "SENT" },
    { id: "msg_1", attempt: 1, phase: "SENT", status: "DELIVERED" },
  ],
  answers: [answer()],
  usedUnits: 1,
  isSwept: false,
  ...changes,
});

const row = (changes: Partial<History["rows"][number]>): History["rows"] => [
  { id: "msg_1", recipient: "1", phase: "SENT", status: "SENT", ageSeconds: 1, ...changes },
];

const REFUSED = row({ phase: "REFUSED", status: "FAILED" });
const JUST_PENDING = row({ phase: "ACCEPTED", status: "PENDING" });
const PENDING = row({ phase: "DISPATCHING", status: "PENDING", ageSeconds: 121 });

describe("the checker of histories", () => {
  test.for<[title: string, invariant: Invariant, history: History]>([
    ["two acceptances of one message", "I1", sound({ calls: [call(), call()] })],
    ["two acceptances under two rows", "I1", sound({ calls: [call(), call({ messageId: "msg_2" })] })],
    ["two acceptances without our id", "I1", sound({ calls: [call({ messageId: null }), call({ messageId: null })] })],
    ["an acceptance that stays unknown", "I2", sound({ rows: row({ phase: "UNKNOWN", status: "UNKNOWN" }) })],
    ["an acceptance without a row", "I2", sound({ rows: [], usedUnits: 0, answers: [] })],
    ["an answer without a row", "I2", sound({ answers: [answer({ messageId: "msg_9" })] })],
    ["a refusal of what was accepted", "I3", sound({ reported: [], rows: REFUSED, usedUnits: 0 })],
    ["not_sent after an acceptance", "I3", sound({ answers: [answer({ status: 502, outcome: "not_sent" })] })],
    ["a row that stays pending", "I4", sound({ reported: [], rows: PENDING })],
    ["a row that the sweeper left pending", "I4", sound({ reported: [], isSwept: true, rows: JUST_PENDING })],
    ["a status that falls", "I5", sound({ changes: sound().changes.toReversed() })],
    [
      "a failure that becomes pending again",
      "I5",
      sound({
        changes: [
          { id: "msg_1", attempt: 1, phase: "REFUSED", status: "FAILED" },
          { id: "msg_1", attempt: 1, phase: "ACCEPTED", status: "PENDING" },
        ],
      }),
    ],
    [
      "two ids for one key",
      "I6",
      sound({
        calls: [call()],
        rows: [...sound().rows, { ...sound().rows[0], id: "msg_2", recipient: "2" } as History["rows"][number]],
        answers: [answer(), answer({ messageId: "msg_2" })],
        usedUnits: 2,
      }),
    ],
    ["a unit too many", "I7", sound({ usedUnits: 2 })],
    ["a unit too few", "I7", sound({ usedUnits: 0 })],
    ["a unit kept for a refusal", "I7", sound({ calls: [], reported: [], rows: REFUSED, answers: [] })],
    ["an answer after 15 s", "I8", sound({ answers: [answer({ ms: 15_001 })] })],
    ["a client that gave up", "I8", sound({ answers: [answer({ status: 0, messageId: null, isHung: true })] })],
  ])("finds %s: %s", ([, invariant, history]) => {
    expect([...new Set(checkHistory(history).map((violation) => violation.invariant))]).toEqual([invariant]);
  });
});
