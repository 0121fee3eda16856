import { setTimeout as sleep } from "node:timers/promises";

/** Stores all items or none; returns those that match nothing. */
export type Store<T> = (items: T[]) => Promise<T[]>;

type Options = {
  /** How many groups are being stored at once. */
  groups: number;
  /** A group takes in no further part once it holds as many items. A larger part goes alone. */
  items: number;
  /** How long after one group the next begins, unless it is full: what a commit costs is paid less often. 0 is at once. */
  apartMs: number;
  /** Whether every other part would fail in the same way, those that wait included: it is not waited for twice. */
  concernsAll: (error: unknown) => boolean;
};

type Part<T> = { items: T[]; resolve: (homeless: T[]) => void; reject: (error: unknown) => void };

/**
 * A store for many callers. While as many groups are on their way as may be, and a moment after each, those who come wait
 * and then go together.
 * Each is answered once its own items are stored; where a group fails, each of its parts is tried alone.
 */
export const inGroups = <T>(store: Store<T>, { groups, items: most, apartMs, concernsAll }: Options): Store<T> => {
  const waiting: Part<T>[] = [];
  let underWay = 0;
  let beganAtMs = Number.NEGATIVE_INFINITY;

  const nextGroup = (): Part<T>[] => {
    const group = waiting.splice(0, 1);
    let size = group[0]?.items.length ?? 0;
    for (let next = waiting[0]; next && size + next.items.length <= most; next = waiting[0]) {
      size += next.items.length;
      group.push(next);
      waiting.shift();
    }
    return group;
  };

  const drain = async () => {
    if (underWay === groups) return;
    underWay += 1;
    while (waiting.length > 0) {
      const restMs = beganAtMs + apartMs - performance.now();
      if (restMs > 0 && !isFull()) {
        await sleep(restMs);
        continue;
      }
      beganAtMs = performance.now();
      await storeGroup(nextGroup());
    }
    underWay -= 1;
  };

  const isFull = () => waiting.reduce((sum, { items }) => sum + items.length, 0) >= most;

  const storeGroup = async (group: Part<T>[]) => {
    try {
      const homeless = new Set(await store(group.flatMap(({ items }) => items)));
      for (const { items, resolve } of group) resolve(items.filter((item) => homeless.has(item)));
    } catch (error) {
      const isForAll = concernsAll(error);
      if (isForAll) group.push(...waiting.splice(0));
      if (isForAll || group.length === 1) for (const { reject } of group) reject(error);
      else await Promise.all(group.map(({ items, resolve, reject }) => store(items).then(resolve, reject)));
    }
  };

  return async (items) => {
    if (items.length === 0) return [];
    return new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      void drain();
    });
  };
};
