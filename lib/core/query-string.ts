/** A path or whole address with what is set of `values`; without any it is the path alone. */
export function withQuery(path: string, values: Record<string, string | undefined>): string {
  const set = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return set.length > 0 ? `${path}?${new URLSearchParams(set)}` : path;
}
