/** Gives a place back. Again changes nothing. */
export type Leave = () => void;

export type Gate = {
  /** Resolves with a place as soon as one is free; undefined where none came free within `withinMs`. */
  enter: (withinMs: number) => Promise<Leave | undefined>;
};

/** Lets at most `places` in at once. The others stand in line, first come, first served, and for a bounded time. */
export const createGate = (places: number): Gate => {
  const line = new Set<() => void>();
  let taken = 0;

  const passOn = () => {
    const [first] = line;
    if (first) first();
    else taken -= 1;
  };
  const place = (): Leave => {
    let isHeld = true;
    return () => {
      if (isHeld) passOn();
      isHeld = false;
    };
  };
  const standInLine = (withinMs: number) =>
    new Promise<Leave | undefined>((resolve) => {
      const admit = () => {
        clearTimeout(timer);
        line.delete(admit);
        resolve(place());
      };
      const timer = setTimeout(() => {
        line.delete(admit);
        resolve(undefined);
      }, withinMs);
      line.add(admit);
    });

  return {
    enter: async (withinMs) => {
      if (taken === places) return standInLine(withinMs);
      taken += 1;
      return place();
    },
  };
};
