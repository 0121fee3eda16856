import { readFileSync } from "node:fs";
import path from "node:path";
import type { Patch } from "./builds";
import type { FaultPoint } from "./fault-orders";

/** Where the harness's own build reads its orders; no other build has this file. */
const FILE = "lib/core/fault-points.ts";
const DISPATCH = "lib/messages/send/dispatch-message.ts";
const DELIVER = "lib/outgoing/deliver.ts";
const STATUSES = "lib/messages/statuses/record-statuses.ts";
const IMPORT = 'import { reachFaultPoint } from "@/lib/core/fault-points";\n';

const reach = (point: FaultPoint) => `reachFaultPoint("${point}");`;

/** A point stands before the text, which is there exactly once. */
const before = (file: string, text: string, point: FaultPoint): Patch => ({
  file,
  from: text,
  to: `${reach(point)}\n${text}`,
});

const imported = (file: string): Patch => ({ file, first: IMPORT });

/** Puts the fault points into a copy of the tree. */
export const FAULT_POINTS: readonly Patch[] = [
  { file: FILE, text: readFileSync(path.join(import.meta.dirname, "fault-orders.ts"), "utf8") },
  imported(DISPATCH),
  before(DISPATCH, "let message = outbound;", "after-claim"),
  before(DISPATCH, "isMarked = await markDispatching(principal, claim);", "before-mark"),
  {
    file: DISPATCH,
    from: 'return isMarked ? { post } : "lost";',
    to: `if (isMarked) ${reach("after-mark")}\nreturn isMarked ? { post } : "lost";`,
  },
  before(DISPATCH, 'if (principal.mode === "live") void', "after-call"),
  before(DISPATCH, "return conclude(dispatch, ending, message);", "after-outcome"),
  imported(STATUSES),
  before(STATUSES, "const [written] = await onSql(", "webhook-before-commit"),
  before(STATUSES, "return { current: new Set(written?.current)", "webhook-after-commit"),
  imported(DELIVER),
  {
    file: DELIVER,
    from: "for (const delivery of look.claimed) void this.attempt(delivery);",
    to: `if (look.claimed.length > 0) ${reach("delivery-after-claim")}\nfor (const delivery of look.claimed) void this.attempt(delivery);`,
  },
  before(DELIVER, "this.unwritten.add({ delivery, answer,", "delivery-after-answer"),
  {
    file: DELIVER,
    from: "this.reports.push(...reports);",
    to: `if (settling.length > 0) ${reach("delivery-after-settle")}\nthis.reports.push(...reports);`,
  },
];
