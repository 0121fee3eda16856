import type { Call, Serve } from "./call";

/** `{name}` in a path is a parameter, `*` at its end matches the rest, and a trailing slash is ignored. */
export type Route = { path: `/${string}`; serve: Serve };

/** Serves a call by the first route that matches its path. Throws if none does. */
export function routed(routes: readonly Route[]): Serve {
  const rows = routes.map(({ path, serve }) => ({ paramsOf: pathReader(path), serve }));
  return (call: Call) => {
    for (const { paramsOf, serve } of rows) {
      const params = paramsOf(call.url.pathname);
      if (params) return serve({ ...call, params });
    }
    throw new Error("no route matches");
  };
}

/** Returns the decoded parameters of a path of this form, and undefined for any other. */
export function pathReader(path: string): (pathname: string) => Record<string, string> | undefined {
  const form = path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)").replace(/\/\*$/, "(?:/.*)?");
  const pattern = new RegExp(`^${form}/*$`);
  return (pathname) => {
    const parts = pattern.exec(pathname);
    return parts ? decoded(parts.groups ?? {}) : undefined;
  };
}

function decoded(parts: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    return undefined;
  }
}
