/** What a server holds after `runs` requests, when its garbage is collected and nothing is in flight. */
export type MemorySample = { runs: number; heapMebibytes: number; residentMebibytes: number };

export type MemoryVerdict = { warm: MemorySample; end: MemorySample; isFlat: boolean };

/** Compiled code, caches that are bounded and pools that are filled: until here memory grows by right. */
const WARM_UP_RUNS = 10_000;
const MIN_SAMPLES = 4;
const MAX_HEAP_GROWTH_MEBIBYTES = 8;
const MAX_RESIDENT_GROWTH_MEBIBYTES = 48;

/** Compares the first third of the samples after the warm-up with the last; undefined where a run is too short to tell. */
export const judgeMemory = (samples: readonly MemorySample[]): MemoryVerdict | undefined => {
  const counted = samples.filter(({ runs }) => runs >= WARM_UP_RUNS);
  if (counted.length < MIN_SAMPLES) return undefined;
  const third = Math.ceil(counted.length / 3);
  const [warm, end] = [middleOf(counted.slice(0, third)), middleOf(counted.slice(-third))];
  const isFlat =
    end.heapMebibytes - warm.heapMebibytes <= MAX_HEAP_GROWTH_MEBIBYTES &&
    end.residentMebibytes - warm.residentMebibytes <= MAX_RESIDENT_GROWTH_MEBIBYTES;
  return { warm, end, isFlat };
};

const middleOf = (samples: readonly MemorySample[]): MemorySample => ({
  runs: samples.at(-1)?.runs ?? 0,
  heapMebibytes: median(samples.map(({ heapMebibytes }) => heapMebibytes)),
  residentMebibytes: median(samples.map(({ residentMebibytes }) => residentMebibytes)),
});

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const memoryWords = ({ heapMebibytes, residentMebibytes }: Omit<MemorySample, "runs">): string =>
  `${heapMebibytes.toFixed(1)} MiB of heap, ${residentMebibytes.toFixed(0)} MiB resident`;
