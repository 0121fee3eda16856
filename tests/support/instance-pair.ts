import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { startInstance } from "./environment";
import { awayFromWindowEdge, freshAddress, statuses } from "./limits";
import { type Answer, request } from "./workspace";

type Flood = {
  /** Two servers unless said otherwise. */
  processes?: "two servers" | "two workers of one server";
  settings: Record<string, string>;
  rounds: number;
  /** How many of a round may pass in any case. Without it the store may be replaced by a count in each process. */
  mostPass?: number;
  flood: (urlOf: (i: number) => string) => Promise<Answer[]>;
};

const MAX_ATTEMPTS = 4;

/**
 * How many answers of each round came with each status, in two new processes. On a machine so busy that the limiter's
 * store does not answer for seconds there are calls that no store has counted, and another two are asked.
 */
export const floodPair = async (order: Flood): Promise<Record<number, number>[]> => {
  const { processes = "two servers", settings, rounds, mostPass, flood } = order;
  for (let attempt = 1; ; attempt++) {
    const pair = await Promise.all(
      processes === "two servers"
        ? [startInstance(settings, "API"), startInstance(settings, "API")]
        : [startInstance({ ...settings, WORKERS: "2" }, "API")],
    );
    // Their first connections are made outside the race: how long that takes is the machine's affair.
    await Promise.all(pair.map(({ baseUrl }) => warmUp(baseUrl)));
    const counts: Record<number, number>[] = [];
    for (let round = 0; round < rounds; round++) {
      await awayFromWindowEdge();
      counts.push(statuses(await flood((i) => pair[i % pair.length]?.baseUrl ?? "")));
    }
    for (const { 200: found = 0, 404: unknown = 0 } of mostPass === undefined ? [] : counts) {
      expect(found + unknown).toBeLessThanOrEqual(mostPass ?? 0);
    }
    await Promise.all(pair.map(({ stop }) => stop()));
    const isStoreAway = pair.some(({ logFile }) => readFileSync(logFile, "utf8").includes("limiter.store-away"));
    const isTooBusy = isStoreAway || counts.some((count) => count[503]);
    if (!isTooBusy || attempt === MAX_ATTEMPTS) return counts;
  }
};

const warmUp = (baseUrl: string) =>
  request("GET", `${baseUrl}/api/v1/public/nothing`, { headers: { "x-forwarded-for": freshAddress() } });
