/** Adds the defined `values` to the query string of a path or URL, before its fragment. */
export function withQuery(path: string, values: Record<string, string | undefined>): string {
  const set = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  if (set.length === 0) return path;
  const [page = "", ...fragment] = path.split("#");
  return [`${page}${page.includes("?") ? "&" : "?"}${new URLSearchParams(set)}`, ...fragment].join("#");
}
