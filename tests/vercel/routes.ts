// The routing of the Build Output API, as far as our configuration uses it (its documentation: "Build Output Configuration").

type Condition = { type: "header" | "query" | "cookie" | "host"; key?: string; value?: string };

export type Route = {
  handle?: string;
  src?: string;
  dest?: string;
  headers?: Record<string, string>;
  status?: number;
  methods?: string[];
  continue?: boolean;
  check?: boolean;
  has?: Condition[];
  missing?: Condition[];
  middlewarePath?: string;
  transforms?: { type: string; op: string; target: { key: string }; args: string }[];
};

/** What is being routed: its path changes on the way, what the caller sent does not. */
export type Routed = {
  path: string;
  query: URLSearchParams;
  requestHeaders: Headers;
  headers: Headers;
  status: number | undefined;
};

/** What a route's middleware decided: an answer of its own, or nothing, with what it changed in `routed`. */
export type Middleware = (routed: Routed) => Promise<Response | undefined>;

type Output = { routes: Route[]; exists: (path: string) => boolean; middleware: Middleware };

/** Follows the routes to the path of a function or file that exists, to a response of the middleware, or to neither (404). */
export async function follow(routed: Routed, output: Output): Promise<string | Response | undefined> {
  const phases = phasesOf(output.routes);
  const first = await runPhase(phases.get("") ?? [], routed, output);
  if (first instanceof Response) return first;
  for (const phase of ["filesystem", "resource", "miss", "rewrite"]) {
    if (output.exists(routed.path)) return routed.path;
    // Of files: every path here may be a function's.
    if (phase === "resource") continue;
    const found = await runPhase(phases.get(phase) ?? [], routed, output);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The headers that a found path gets. */
export function headersOfHit(path: string, routes: readonly Route[], headers: Headers): void {
  for (const { src, headers: given = {} } of phasesOf(routes).get("hit") ?? []) {
    const match = src && path.match(anchored(src));
    if (match) for (const [name, value] of Object.entries(given)) headers.set(name, filled(value, match));
  }
}

function phasesOf(routes: readonly Route[]): Map<string, Route[]> {
  const phases = new Map<string, Route[]>([["", []]]);
  let current: Route[] = phases.get("") ?? [];
  for (const route of routes) {
    if (route.handle) {
      current = [];
      phases.set(route.handle, current);
    } else current.push(route);
  }
  return phases;
}

async function runPhase(routes: readonly Route[], routed: Routed, output: Output) {
  for (const route of routes) {
    const match = routed.path.match(anchored(route.src ?? ""));
    if (!match || !isMeant(route, routed)) continue;
    const before = routed.path;
    if (route.middlewarePath) {
      const response = await output.middleware(routed);
      if (response) return response;
    }
    for (const [name, value] of Object.entries(route.headers ?? {})) routed.headers.set(name, filled(value, match));
    for (const { op, target, args } of route.transforms ?? []) {
      if (op === "set") routed.requestHeaders.set(target.key, args);
    }
    if (route.status) routed.status = route.status;
    if (route.dest) goTo(filled(route.dest, match, captured(route, routed)), routed);
    if (route.check && output.exists(routed.path)) return routed.path;
    if (route.check) routed.path = before;
    else if (!route.continue) return undefined;
  }
  return undefined;
}

function goTo(destination: string, routed: Routed) {
  const at = destination.indexOf("?");
  routed.path = at < 0 ? destination : destination.slice(0, at);
  if (at >= 0) for (const [name, value] of new URLSearchParams(destination.slice(at))) routed.query.set(name, value);
}

const isMeant = ({ methods, has = [], missing = [] }: Route, routed: Routed): boolean =>
  has.every((condition) => holds(condition, routed)) &&
  !missing.some((condition) => holds(condition, routed)) &&
  !methods;

const holds = (condition: Condition, routed: Routed): boolean => valueMatch(condition, routed) !== undefined;

function valueMatch({ type, key = "", value }: Condition, { requestHeaders, query }: Routed) {
  const found = type === "header" ? requestHeaders.get(key) : type === "query" ? query.get(key) : null;
  if (found === null) return undefined;
  return value === undefined ? {} : (anchored(value).exec(found) ?? undefined);
}

/** Named groups of conditions are filled in, too. */
const captured = ({ has = [] }: Route, routed: Routed): Record<string, string> =>
  Object.assign(
    {},
    ...has.map((condition) => (valueMatch(condition, routed) as RegExpExecArray | undefined)?.groups ?? {}),
  );

const filled = (template: string, match: RegExpMatchArray, more: Record<string, string> = {}): string =>
  template.replace(/\$(\d|[a-zA-Z]\w*)/g, (_, name) => {
    if (/^\d$/.test(name)) return match[Number(name)] ?? "";
    const groups = { ...match.groups, ...more };
    const longest = Object.keys(groups)
      .filter((key) => name.startsWith(key))
      .toSorted((a, b) => b.length - a.length)[0];
    return longest === undefined ? "" : (groups[longest] ?? "") + name.slice(longest.length);
  });

const anchored = (source: string): RegExp => new RegExp(`^${source.replace(/^\^/, "").replace(/\$$/, "")}$`, "i");
