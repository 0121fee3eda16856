import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type FuzzRequest, requests } from "./grammar";
import { judgeMemory, type MemorySample, type MemoryVerdict, memoryWords } from "./memory";
import type { Vocabulary } from "./values";
import { exchange, faultOf, keepAlive } from "./wire";

export type Fuzz = {
  runs: number;
  seed: number;
  width: number;
  /** Nothing new is sent after this long. */
  withinMs?: number;
  /** Made however long they take. */
  least?: number;
  baseUrl: string;
  secret: string;
  words: Vocabulary;
  /** What the server holds while nothing is in flight. */
  measure: () => Promise<Omit<MemorySample, "runs">>;
  /** What the server's log says of faults of its own. */
  logFaults: () => string[];
  /** How many connections the server holds. */
  openSockets: () => number;
  onRound?: (round: { perSecond: number; memory: MemorySample }) => void;
};

export type FuzzReport = {
  runs: number;
  seed: number;
  seconds: number;
  /** Answers by kind of request and status, such as `send 400`. */
  statuses: Record<string, number>;
  memory: { start: MemorySample; end: MemorySample; verdict: MemoryVerdict | undefined };
  /** Each kind of fault with its minimal request. */
  faults: Record<string, { times: number; request: FuzzRequest; answer: string }>;
  log: string[];
  /** Connections that the server still holds when all clients have left. */
  leaked: number;
};

const BATCH = 250;
/** After so many requests the server is left alone for a moment and measured: eight times where there are fewer. */
const MAX_IN_ROUND = 5_000;
const MIN_IN_ROUND = 1_000;
const ROUNDS = 8;
const SHRINK_WITHIN_MS = 20_000;
/** What arrived in part is given up after 10 s. */
const SOCKETS_CLOSE_WITHIN_MS = 15_000;

/** Sends `runs` generated requests, `width` at a time, and judges every answer. The seed makes the same requests again. */
export const fuzz = async (options: Fuzz): Promise<FuzzReport> => {
  const {
    runs,
    seed,
    width,
    withinMs = Number.POSITIVE_INFINITY,
    least = 0,
    baseUrl,
    secret,
    words,
    measure,
    onRound,
  } = options;
  const grammar = requests(words);
  const agent = keepAlive(width);
  const wire = { baseUrl, secret, agent };
  const statuses: Record<string, number> = {};
  const faults: FuzzReport["faults"] = {};
  const startedAtMs = performance.now();
  const start = { runs: 0, ...(await measure()) };
  const memory: MemorySample[] = [start];
  let made = 0;
  let done = 0;
  let sendingSeconds = 0;
  const isTooLate = () => done >= least && performance.now() - startedAtMs > withinMs;

  /** Sends until `made` requests exist, and waits for all their answers. */
  const lane = async (queue: FuzzRequest[], until: number) => {
    while (!isTooLate()) {
      if (queue.length === 0 && made < until) {
        const numRuns = Math.min(BATCH, until - made);
        queue.push(...fc.sample(grammar, { seed: seed + made, numRuns }));
        made += numRuns;
      }
      const request = queue.pop();
      if (!request) return;
      const answer = await exchange(request, wire);
      done += 1;
      const outcome = `${request.kind} ${answer.status}`;
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
      const fault = faultOf(request, answer);
      if (fault === undefined) continue;
      const known = faults[`${request.kind}: ${fault}`];
      if (known) known.times += 1;
      else faults[`${request.kind}: ${fault}`] = { times: 1, request, answer: answer.text.slice(0, 300) };
    }
  };
  const round = Math.min(MAX_IN_ROUND, Math.max(MIN_IN_ROUND, Math.ceil(runs / ROUNDS)));
  while (done < runs && !isTooLate()) {
    const [before, roundAtMs] = [done, performance.now()];
    const queue: FuzzRequest[] = [];
    const until = Math.min(runs, made + round);
    await Promise.all(Array.from({ length: width }, () => lane(queue, until)));
    const seconds = (performance.now() - roundAtMs) / 1_000;
    sendingSeconds += seconds;
    const sample = { runs: done, ...(await measure()) };
    memory.push(sample);
    onRound?.({ perSecond: (done - before) / seconds, memory: sample });
  }

  for (const found of Object.values(faults)) found.request = await smallest(found.request, wire);
  agent.destroy();
  const untilMs = performance.now() + SOCKETS_CLOSE_WITHIN_MS;
  while (options.openSockets() > 0 && performance.now() < untilMs) await sleep(100);
  return {
    log: options.logFaults(),
    leaked: options.openSockets(),
    runs: done,
    seed,
    seconds: sendingSeconds,
    statuses,
    faults,
    memory: { start, end: memory.at(-1) ?? start, verdict: judgeMemory(memory) },
  };
};

/** The same request with fewer headers and a shorter body, as long as its answer is still wrong. */
const smallest = async (found: FuzzRequest, wire: Parameters<typeof exchange>[1]): Promise<FuzzRequest> => {
  const isWrong = async (request: FuzzRequest) => faultOf(request, await exchange(request, wire)) !== undefined;
  const untilMs = performance.now() + SHRINK_WITHIN_MS;
  let best = found;
  for (let isBetter = true; isBetter && performance.now() < untilMs; ) {
    isBetter = false;
    for (const candidate of smaller(best)) {
      if (performance.now() >= untilMs || !(await isWrong(candidate))) continue;
      best = candidate;
      isBetter = true;
      break;
    }
  }
  return best;
};

function* smaller(request: FuzzRequest): Generator<FuzzRequest> {
  for (const i of request.headers.keys()) yield { ...request, headers: request.headers.toSpliced(i, 1) };
  const [path, query] = request.path.split("?");
  if (query !== undefined) yield { ...request, path: path ?? "" };
  if (request.body === undefined) return;
  yield { ...request, body: undefined };
  const json = parsed(request.body);
  if (json === undefined) return;
  for (const value of smallerValues(json)) {
    yield { ...request, body: Buffer.from(JSON.stringify(value), "utf8").toString("latin1") };
  }
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === "string" && value.length > 8) yield value.slice(0, value.length / 2);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const i of value.keys()) yield value.toSpliced(i, 1);
    for (const [i, item] of value.entries()) for (const less of smallerValues(item)) yield value.with(i, less);
    return;
  }
  for (const name of Object.keys(value))
    yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  for (const [name, item] of Object.entries(value)) {
    for (const less of smallerValues(item)) yield { ...value, [name]: less };
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
  } catch {
    return undefined;
  }
};

export const faultLines = ({ faults, memory, log, leaked }: FuzzReport): string[] => [
  ...log.map((line) => `in the server's log: ${line}`),
  ...(leaked > 0 ? [`the server holds ${leaked} connections whose clients have left`] : []),
  ...Object.entries(faults).map(
    ([name, { times, request, answer }]) => `${name}, ${times} times: ${JSON.stringify(request)} → ${answer}`,
  ),
  ...(memory.verdict?.isFlat === false ? [`the server's memory grows: ${memoryLine(memory)}`] : []),
];

export const summary = ({ runs, seed, seconds, statuses, memory }: FuzzReport): string => {
  const rows = Object.entries(statuses).sort(([a], [b]) => a.localeCompare(b));
  return [
    `${runs} requests in ${seconds.toFixed(1)} s: ${Math.round(runs / seconds)}/s, seed ${seed}`,
    ...rows.map(([outcome, count]) => `  ${outcome.padEnd(14)} ${count}`),
    `memory of the server: ${memoryLine(memory)}`,
  ].join("\n");
};

const memoryLine = ({ start, end, verdict }: FuzzReport["memory"]): string =>
  [
    `${memoryWords(start)} at the start`,
    ...(verdict ? [`${memoryWords(verdict.warm)} when warm`, `${memoryWords(verdict.end)} in the end`] : []),
    ...(verdict ? [verdict.isFlat ? "flat" : "not flat"] : [`${memoryWords(end)} in the end, too soon to classify`]),
  ].join("; ");
