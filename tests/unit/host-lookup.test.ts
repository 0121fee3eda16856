import type { LookupAddress } from "node:dns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHostLookup } from "@/lib/core/host-lookup";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FIRST: LookupAddress[] = [{ address: "192.0.2.1", family: 4 }];
const SECOND: LookupAddress[] = [{ address: "192.0.2.2", family: 4 }];
const AGAIN = Object.assign(new Error("later"), { code: "EAI_AGAIN" });
const NO_NAME = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });

/** A thread is granted in a turn of its own. */
const granted = () => vi.advanceTimersByTimeAsync(0);

/** A system whose every look-up is answered by the test, and a DNS that says `asked`. */
const held = (asked: LookupAddress[] | Error = AGAIN) => {
  const calls: { name: string; find: (addresses: LookupAddress[]) => void; fail: (error: Error) => void }[] = [];
  const ask = vi.fn(async () => {
    if (asked instanceof Error) throw asked;
    return asked;
  });
  const lookup = createHostLookup(
    (name) => new Promise((resolve, reject) => void calls.push({ name, find: resolve, fail: reject })),
    ask,
  );
  return { calls, ask, lookup: (name: string) => lookup(name, {}) };
};

const settled = async (promise: Promise<unknown>) => {
  let isSettled = false;
  const mark = () => {
    isSettled = true;
  };
  promise.then(mark, mark);
  await vi.advanceTimersByTimeAsync(0);
  return isSettled;
};

describe("the look-up of a host", () => {
  test("is one for all who ask at the same time, and a new one afterwards", async () => {
    const { calls, lookup } = held();
    const answers = Array.from({ length: 50 }, () => lookup("graph.test"));
    await granted();
    expect(calls).toHaveLength(1);
    calls[0]?.find(FIRST);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([FIRST]));
    const next = lookup("graph.test");
    await granted();
    calls[1]?.find(SECOND);
    expect(await next).toEqual(SECOND);
  });

  test("holds two threads at most, whatever is asked for", async () => {
    const { calls, lookup } = held();
    const answers = ["a", "b", "c", "d"].map((name) => lookup(name));
    await granted();
    expect(calls.map(({ name }) => name)).toEqual(["a", "b"]);
    calls[1]?.find(FIRST);
    await answers[1];
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    for (const answer of answers) answer.catch(() => {});
  });

  test("that is silent for a second gives what was true last, from then on at once", async () => {
    const { calls, lookup, ask } = held(SECOND);
    const known = lookup("graph.test");
    await granted();
    calls[0]?.find(FIRST);
    await known;
    const late = lookup("graph.test");
    await vi.advanceTimersByTimeAsync(999);
    expect(await settled(late)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toEqual(FIRST);
    const later = lookup("graph.test");
    await vi.advanceTimersByTimeAsync(0);
    expect(await later).toEqual(FIRST);
    expect([calls.length, ask.mock.calls.length]).toEqual([2, 0]);
  });

  test("that was never answered asks DNS itself, once, also where it waits for a thread", async () => {
    const { lookup, ask } = held(SECOND);
    const [, , third, same] = ["a", "b", "c", "c"].map((name) => lookup(name));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await third, await same]).toEqual([SECOND, SECOND]);
    expect(ask.mock.calls.filter(([name]: unknown[]) => name === "c")).toHaveLength(1);
  });

  test("that fails for now gives what was true last; that there is no such name is an error", async () => {
    const { calls, lookup } = held();
    const first = lookup("graph.test");
    await granted();
    calls[0]?.find(FIRST);
    await first;
    const failing = lookup("graph.test");
    await granted();
    calls[1]?.fail(AGAIN);
    expect(await failing).toEqual(FIRST);
    const gone = lookup("graph.test");
    await granted();
    calls[2]?.fail(NO_NAME);
    await expect(gone).rejects.toBe(NO_NAME);
    const unknown = lookup("other.test");
    await granted();
    calls[3]?.fail(AGAIN);
    await expect(unknown).rejects.toBe(AGAIN);
  });
});
