/** How long the old secret of a key or an endpoint stays valid after a rotation, in seconds. */
export const OVERLAP_SECONDS = { now: 0, "15m": 15 * 60, "1h": 60 * 60, "24h": 24 * 60 * 60 } as const;

export type Overlap = keyof typeof OVERLAP_SECONDS;

export const OVERLAPS = Object.keys(OVERLAP_SECONDS) as Overlap[];

/** How long a key works with which a member tries the API on its reference page. */
export const TRIAL_MINUTES = 30;
