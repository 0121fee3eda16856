import { setTimeout as sleep } from "node:timers/promises";
import { listRequests, type RequestSummary, readRequestContents } from "@/lib/api/log/queries";
import { readRequestFilters } from "@/lib/api/log/request-filters";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { type Arguments, UsageError } from "../../clients/typescript/src/cli/command-line";
import { onDeployment, oneOf, run, workspaceOf } from "../operator-command";

const USAGE = `Usage: switchboard logs tail --workspace REF [--mode live|test] [--status 2xx|4xx|5xx] [--once]

Prints the last calls of a workspace, oldest first, and then each that comes in, until Ctrl-C; --once ends after the first.
Recipients are masked. It reads the gateway's database, as \`switchboard keys\` does.
`;

const MODES = ["live", "test"] as const;
const LOOK_EVERY_MS = 1_000;
/** Servers store calls in batches with a delay, so the last seconds are read again. */
const WRITTEN_WITHIN_MS = 15_000;

type Tail = { workspaceId: WorkspaceId; modes: readonly Mode[]; filters: ReturnType<typeof readRequestFilters> };
type Call = RequestSummary & { mode: Mode };

export function logs(args: string[]): Promise<void> {
  return run(
    { usage: USAGE, options: ["workspace", "mode", "status"], flags: ["once"], words: 1, args },
    async (given) => {
      oneOf(["tail"], given.positionals[0], "The first word");
      const wanted = { modes: modesOf(given), filters: filtersOf(given) };
      return onDeployment(async () => {
        const tail = { workspaceId: await workspaceOf(given), ...wanted };
        await follow(tail, given.flag("once"));
        return true;
      });
    },
  );
}

async function follow(tail: Tail, isOnce: boolean): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const printed = new Map<string, Date>();
  let from: Date | undefined;
  while (!stopping.signal.aborted) {
    for (const call of await readCalls(tail, from)) {
      if (!printed.has(call.id)) process.stdout.write(await lineOf(tail.workspaceId, call));
      printed.set(call.id, call.at);
    }
    if (isOnce) return;
    from = lookAgainFrom(printed) ?? from;
    for (const [id, at] of printed) if (from && at < from) printed.delete(id);
    await sleep(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

/** Based on the calls' own times, because this machine's clock may differ. */
function lookAgainFrom(printed: ReadonlyMap<string, Date>): Date | undefined {
  const newestMs = Math.max(...[...printed.values()].map((at) => at.getTime()));
  return Number.isFinite(newestMs) ? new Date(newestMs - WRITTEN_WITHIN_MS) : undefined;
}

/** Oldest first: those since `from`, or without it the newest page of each mode. */
async function readCalls({ workspaceId, modes, filters }: Tail, from: Date | undefined): Promise<Call[]> {
  const calls: Call[] = [];
  for (const mode of modes) {
    let newer = from && { createdAt: from, id: "" };
    do {
      const page = await listRequests(workspaceId, { mode, filters, timeZone: "UTC", role: "owner", newer });
      calls.push(...page.rows.filter(({ at }) => !from || at >= from).map((call) => ({ ...call, mode })));
      newer = from && page.newer;
    } while (newer);
  }
  return calls.toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

async function lineOf(workspaceId: WorkspaceId, call: Call): Promise<string> {
  const { id, at, mode, status, errorCode, method, path, operation, durationMs, keyLabel } = call;
  const { body } = operation === "send" ? await readRequestContents(workspaceId, id) : { body: null };
  const recipient = body?.match(/^ {2}"phone": "([^"]*)"/m)?.[1];
  const words = [
    at.toISOString(),
    mode,
    `${status}`,
    `${method} ${path.replace(/^\/api\/v1\/public/, "")}`,
    `${durationMs} ms`,
    recipient && `to ${recipient}`,
    errorCode,
    keyLabel && `"${keyLabel}"`,
    id,
  ];
  return `${words.filter(Boolean).join("  ")}\n`;
}

function modesOf({ option }: Arguments): readonly Mode[] {
  const mode = option("mode");
  return mode === undefined ? MODES : [oneOf(MODES, mode, "--mode")];
}

function filtersOf({ option }: Arguments) {
  const status = option("status");
  const filters = readRequestFilters({ status }, "owner");
  if (filters.status === status) return filters;
  throw new UsageError("--status must be 2xx, 4xx or 5xx.");
}
