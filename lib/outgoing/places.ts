/** Attempts that a process has under way at once: each has a connection, and an answer of 4 KB at most. */
const MOST_UNDER_WAY = 1_024;
/** An endpoint whose answers take so long is slow, and so is one with an attempt that has lasted so long. */
export const SLOW_MS = 1_000;

/** How soon an endpoint answers: a new one has not answered yet. */
export type Pace = "quick" | "new" | "slow";

/** What endpoints of a pace may hold together with the slower ones: the rest is kept for the quicker ones. */
const MOST_OF_PACE: Record<Pace, number> = { quick: MOST_UNDER_WAY, new: 768, slow: 512 };
/** The last places of a pace are for workspaces that hold few. */
const RESERVE = { places: 128, few: 4 };
/** What one endpoint may hold; one that fails has one attempt at a time. */
export const MOST_TO_ENDPOINT: Record<Pace, number> = { quick: 128, new: 4, slow: 16 };
/** Retries of events that an endpoint has refused, beside its others. */
export const MOST_REFUSED = 2;
/** An endpoint's places are doubled by a claim at most, from so many. */
export const FIRST_PLACES = 64;

/** What an endpoint holds. */
export type Busy = {
  workspaceId: string;
  endpointId: string;
  pace: Pace;
  underWay: number;
  /** Beside `underWay`. */
  refused: number;
};

/** A delivery that is due, and where its endpoint stands. */
export type Due = {
  workspaceId: string;
  endpointId: string;
  id: string;
  pace: Pace;
  isRefused: boolean;
};

const SLOWEST_FIRST: readonly Pace[] = ["slow", "new", "quick"];

/** Places that an endpoint of this pace may have. */
export function freePlaces(busy: readonly Busy[], pace: Pace = "quick"): number {
  return freeFor(pace, heldByPace(busy));
}

/**
 * Chooses what gets a place. The next place goes to the workspace that holds fewest, and no workspace holds more than are
 * free beside the reserve: one alone gets nearly half, many get less each, and some are free for who comes next. Slow endpoints can never take the
 * places of quick ones. Refused events come last and count in no share. `due` is in the order of each endpoint, and within
 * its bounds already.
 */
export function choosePlaces(due: readonly Due[], busy: readonly Busy[]): Due[] {
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

const heldByPace = (busy: readonly Busy[]): Record<Pace, number> => {
  const held = { slow: 0, new: 0, quick: 0 };
  for (const { pace, underWay, refused } of busy) held[pace] += underWay + refused;
  return held;
};

/** What the bounds of this pace and of the quicker ones leave. */
const freeFor = (pace: Pace, held: Record<Pace, number>): number => {
  let free = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const one of SLOWEST_FIRST) {
    sum += held[one];
    if (SLOWEST_FIRST.indexOf(one) >= SLOWEST_FIRST.indexOf(pace)) free = Math.min(free, MOST_OF_PACE[one] - sum);
  }
  return free;
};

type Lane = { held: number; due: Due[] };
type Share = { held: number; endpoints: Map<string, Lane> };

const sharesOf = (due: readonly Due[], held: readonly Busy[]): Set<Share> => {
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
};

/** From the share's endpoint that holds fewest. */
const takeFrom = (share: Share): Due => {
  const [key, lane] = leastEntry(share.endpoints);
  const [taken] = lane.due.splice(0, 1) as [Due];
  lane.held += 1;
  share.held += 1;
  if (lane.due.length === 0) share.endpoints.delete(key);
  return taken;
};

const leastEntry = (lanes: Map<string, Lane>): [string, Lane] =>
  [...lanes].reduce((one, other) => (other[1].held < one[1].held ? other : one));

const least = (shares: Set<Share>): Share | undefined => {
  let found: Share | undefined;
  for (const share of shares) if (!found || share.held < found.held) found = share;
  return found;
};
