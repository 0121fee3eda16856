/** Appends the defined `values` to a path or URL as its query string. */
export function withQuery(path: string, values: Record<string, string | undefined>): string {
  const set = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return set.length > 0 ? `${path}?${new URLSearchParams(set)}` : path;
}
