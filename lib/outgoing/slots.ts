/** Concurrent attempts of a process: each holds a connection, and a response of up to 4 KB. */
const MAX_UNDER_WAY = 1_024;
/** An endpoint is slow if its responses, or an attempt in flight, take this long. */
export const SLOW_MS = 1_000;

/** How fast an endpoint responds; a new one has not responded yet. */
export type Pace = "quick" | "new" | "slow";

/** Slots for endpoints of a pace together with the slower ones; the rest is reserved for quicker ones. */
const MAX_OF_PACE: Record<Pace, number> = { quick: MAX_UNDER_WAY, new: 768, slow: 512 };
/** The last slots of a pace are reserved for workspaces that hold few. */
const RESERVE = { places: 128, few: 4 };
/** Slots per endpoint; a failing endpoint has one. */
export const MAX_TO_ENDPOINT: Record<Pace, number> = { quick: 128, new: 4, slow: 16 };
/** Extra slots for retries of events that an endpoint has refused. */
export const MAX_REFUSED = 2;
/** A claim at most doubles an endpoint's slots, starting from this number. */
export const INITIAL_SLOTS = 64;

/** The slots that an endpoint holds. */
export type Busy = {
  workspaceId: string;
  endpointId: string;
  pace: Pace;
  underWay: number;
  /** Beside `underWay`. */
  refused: number;
};

/** A due delivery, with the load of its endpoint. */
export type Due = {
  workspaceId: string;
  endpointId: string;
  id: string;
  pace: Pace;
  isRefused: boolean;
};

const SLOWEST_FIRST: readonly Pace[] = ["slow", "new", "quick"];

/** Returns the free slots for endpoints of this pace. */
export function freeSlots(busy: readonly Busy[], pace: Pace = "quick"): number {
  return freeFor(pace, heldByPace(busy));
}

/**
 * Chooses deliveries for free slots. The next slot goes to the workspace with fewest, and none holds more than are
 * free beside the reserve: one alone gets nearly half, so some stay free. Slow endpoints never take the
 * slots of quick ones. Refused events come last and count in no share. `due` is in each endpoint's order, and already
 * within its limits.
 */
export function allocateSlots(due: readonly Due[], busy: readonly Busy[]): Due[] {
  const chosen: Due[] = [];
  const held = heldByPace(busy);
  const take = (one: Due) => {
    held[one.pace] += 1;
    chosen.push(one);
  };
  for (const pace of SLOWEST_FIRST.toReversed()) {
    const ofPace = due.filter((one) => one.pace === pace);
    const shares = sharesOf(
      ofPace.filter(({ isRefused }) => !isRefused),
      busy.filter((one) => SLOWEST_FIRST.indexOf(one.pace) <= SLOWEST_FIRST.indexOf(pace)),
    );
    for (let share = least(shares); share && mayTake(share, freeFor(pace, held)); share = least(shares)) {
      take(takeFrom(share));
      if (share.endpoints.size === 0) shares.delete(share);
    }
    for (const one of ofPace) if (one.isRefused && freeFor(pace, held) > 0) take(one);
  }
  return chosen;
}

const mayTake = ({ held }: Share, free: number): boolean => held < free - (held < RESERVE.few ? 0 : RESERVE.places);

function heldByPace(busy: readonly Busy[]): Record<Pace, number> {
  const held = { slow: 0, new: 0, quick: 0 };
  for (const { pace, underWay, refused } of busy) held[pace] += underWay + refused;
  return held;
}

/** Returns the free slots within the limits of this pace and of the quicker ones. */
function freeFor(pace: Pace, held: Record<Pace, number>): number {
  let free = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const one of SLOWEST_FIRST) {
    sum += held[one];
    if (SLOWEST_FIRST.indexOf(one) >= SLOWEST_FIRST.indexOf(pace)) free = Math.min(free, MAX_OF_PACE[one] - sum);
  }
  return free;
}

type Lane = { held: number; due: Due[] };
type Share = { held: number; endpoints: Map<string, Lane> };

function sharesOf(due: readonly Due[], held: readonly Busy[]): Set<Share> {
  const shares = new Map<string, Share>();
  for (const one of due) {
    const share = shares.get(one.workspaceId) ?? { held: 0, endpoints: new Map() };
    const lane = share.endpoints.get(one.endpointId) ?? { held: 0, due: [] };
    lane.due.push(one);
    share.endpoints.set(one.endpointId, lane);
    shares.set(one.workspaceId, share);
  }
  for (const { workspaceId, endpointId, underWay } of held) {
    const share = shares.get(workspaceId);
    const lane = share?.endpoints.get(endpointId);
    if (share) share.held += underWay;
    if (lane) lane.held += underWay;
  }
  return new Set(shares.values());
}

/** Takes the next delivery of the share's endpoint with the fewest slots. */
function takeFrom(share: Share): Due {
  const [key, lane] = leastEntry(share.endpoints);
  const [taken] = lane.due.splice(0, 1) as [Due];
  lane.held += 1;
  share.held += 1;
  if (lane.due.length === 0) share.endpoints.delete(key);
  return taken;
}

const leastEntry = (lanes: Map<string, Lane>): [string, Lane] =>
  [...lanes].reduce((one, other) => (other[1].held < one[1].held ? other : one));

function least(shares: Set<Share>): Share | undefined {
  let found: Share | undefined;
  for (const share of shares) if (!found || share.held < found.held) found = share;
  return found;
}
