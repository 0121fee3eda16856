import { quantile } from "../faults/fault";
import type { Loads } from "./loads";
import { middleBy } from "./measure-scenario";
import { DIRECT, SEND_TEXT, type Target } from "./scenarios";

const ROUNDS = 3;
const LENGTH = { calls: 60, rate: 50 };

export type AddedLatency = { direct: number; through: number; added: number };

/** What one send takes at low load, straight to WhatsApp's stand-in and through us, in alternation: medians in ms. */
export const measureAddedLatency = async (
  loads: Loads,
  { ours, platform }: { ours: Target; platform: Target },
): Promise<AddedLatency> => {
  const rounds: AddedLatency[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const direct = quantile((await loads.run(DIRECT, platform, LENGTH)).times, 0.5);
    const through = quantile((await loads.run(SEND_TEXT, ours, LENGTH)).times, 0.5);
    rounds.push({ direct, through, added: through - direct });
  }
  return middleBy(rounds, ({ added }) => added);
};
