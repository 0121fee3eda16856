import { existsSync, readFileSync, rmSync } from "node:fs";

/** Where a process can be made to die or to freeze. */
export type FaultPoint =
  | "after-claim"
  | "before-mark"
  | "after-mark"
  | "after-call"
  | "after-outcome"
  | "webhook-before-commit"
  | "webhook-after-commit"
  | "delivery-after-claim"
  | "delivery-after-answer"
  | "delivery-after-settle";

/** What a test puts into the file that `FAULT_ORDERS` names: the first to reach the point carries it out, once. */
export type FaultOrder = { point: FaultPoint; signal: "SIGKILL" | "SIGSTOP" } | { point: FaultPoint; throws: string };

/**
 * Carries out the order for this point, if there is one. Reads and removes it synchronously, so that of many requests in
 * flight exactly one obeys.
 */
export const reachFaultPoint = (point: FaultPoint): void => {
  const file = process.env.FAULT_ORDERS;
  if (!file || !existsSync(file)) return;
  const order: FaultOrder = JSON.parse(readFileSync(file, "utf8"));
  if (order.point !== point) return;
  rmSync(file);
  if ("throws" in order) throw new Error(order.throws);
  process.kill(process.pid, order.signal);
};
