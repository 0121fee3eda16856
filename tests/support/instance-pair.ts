import { readFileSync } from "node:fs";
import { startInstance } from "./environment";
import { freshAddress, statuses } from "./limits";
import { type Answer, request } from "./workspace";

type Flood = {
  settings: Record<string, string>;
  rounds: number;
  flood: (urlOf: (i: number) => string) => Promise<Answer[]>;
};

const MOST_ATTEMPTS = 4;

/**
 * How many answers of each round came with each status, on two new instances. A machine may be so busy that the limiter's
 * store is away for seconds: then each instance counts by itself and says so in its log, and another two are asked.
 */
export const floodPair = async ({ settings, rounds, flood }: Flood): Promise<Record<number, number>[]> => {
  for (let attempt = 1; ; attempt++) {
    const pair = await Promise.all([startInstance(settings), startInstance(settings)]);
    // Their first connections are made outside the race: how long that takes is the machine's affair.
    await Promise.all(pair.map(({ baseUrl }) => warmUp(baseUrl)));
    const counts: Record<number, number>[] = [];
    for (let round = 0; round < rounds; round++) {
      counts.push(statuses(await flood((i) => pair[i % 2]?.baseUrl ?? "")));
    }
    await Promise.all(pair.map(({ stop }) => stop()));
    const isStoreAway = pair.some(({ logFile }) => readFileSync(logFile, "utf8").includes("limiter.store-away"));
    const isTooBusy = isStoreAway || counts.some((count) => count[503]);
    if (!isTooBusy || attempt === MOST_ATTEMPTS) return counts;
  }
};

const warmUp = (baseUrl: string) =>
  request("GET", `${baseUrl}/api/v1/public/nothing`, { headers: { "x-forwarded-for": freshAddress() } });
