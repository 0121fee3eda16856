type Fields = Record<string, unknown>;

/** The fields that a write changes, as they were and as they become; `before` is null for a new thing. */
export type Change = { before: Fields | null; after: Fields };

/** What may change but is never shown: an audit row says that it changed, not from what to what. */
const SECRETS = ["accessToken", "passwordHash", "secretHash", "previousSecretHash", "secret", "previousSecret"];

export const HIDDEN = "hidden";

/**
 * What a write of `after` changes in `before`; undefined where that is nothing. A field that is undefined is not
 * written. `personal` names fields of a recipient, which an erasure could not find again, so they are hidden like secrets.
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
