type Fields = Record<string, unknown>;

/** The changed fields, old and new; `before` is null for a new object. */
export type Change = { before: Fields | null; after: Fields };

/** Never shown: an audit row says that these changed, not their values. */
const SECRETS = ["accessToken", "passwordHash", "secretHash", "previousSecretHash", "secret", "previousSecret"];

export const HIDDEN = "hidden";

/**
 * Returns what a write of `after` changes in `before`; undefined if nothing. Undefined fields are not
 * written. `personal` names recipient fields, which an erasure could not find here, so they are hidden, too.
 */
export function changeOf(
  before: Fields | undefined,
  after: Fields,
  { personal = [] }: { personal?: readonly string[] } = {},
): Change | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => value !== undefined && !(before && isSame(before[name], value)),
  );
  if (before && changed.length === 0) return undefined;
  const isHidden = (name: string) => SECRETS.includes(name) || personal.includes(name);
  const shown = (name: string, value: unknown) => (isHidden(name) && isPresent(value) ? HIDDEN : value);
  return {
    before: before ? Object.fromEntries(changed.map(([name]) => [name, shown(name, before[name] ?? null)])) : null,
    after: Object.fromEntries(changed.map(([name, value]) => [name, shown(name, value)])),
  };
}

const isPresent = (value: unknown) => value !== null && value !== undefined;
const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b);
