import { type ChildProcess, fork } from "node:child_process";
import { existsSync, openSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { request as call, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import type { Environment } from "../support/programs";
import { newLogFile } from "../support/run-logs";
import { type BuildOutput, materialize } from "./build-output";
import { follow, headersOfHit, type Routed } from "./routes";

// No connection is kept: one to a function that is frozen may be reset when it thaws.
const LAUNCHER = fileURLToPath(new URL("function.cjs", import.meta.url));
/** A function with nothing to do is frozen: its process is stopped until the next call. */
const FROZEN_AFTER_MS = 30;
/** What Vercel unpacks at most for a function. */
const MAX_BYTES = 250 * 1_000_000;

/** One instance of a function, in a folder and a process of its own. */
type Instance = { port: number; serve: (work: () => Promise<void>) => Promise<void>; stop: () => void; bytes: number };

async function startFunction(build: BuildOutput, name: string, environment: Environment): Promise<Instance> {
  const { folder, bytes } = materialize(build, name);
  if (bytes > MAX_BYTES) throw new Error(`The function ${name} has ${bytes} bytes.`);
  const log = openSync(newLogFile("server"), "a");
  const child = fork(LAUNCHER, [folder, name === "_middleware" ? "web" : "node"], {
    cwd: folder,
    env: { ...environment, VERCEL: "1", NODE_ENV: "production" },
    stdio: ["ignore", log, log, "ipc"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The function ${name} ended with ${code}.`)));
    child.on("message", (message: { port?: number }) => message.port && resolve(message.port));
  });
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, serve: freezing(child), stop, bytes };
}

/** Runs calls on the process, and stops it between them: also its timers and sockets, as Vercel does. */
function freezing(child: ChildProcess): Instance["serve"] {
  let running = 0;
  let pending = 0;
  let timer: NodeJS.Timeout | undefined;
  const settle = () => {
    clearTimeout(timer);
    if (running + pending === 0) timer = setTimeout(() => child.kill("SIGSTOP"), FROZEN_AFTER_MS).unref();
  };
  child.on("message", (message: { pending?: number }) => {
    if (message.pending === undefined) return;
    pending = message.pending;
    settle();
  });
  settle();
  return async (work) => {
    clearTimeout(timer);
    running++;
    child.kill("SIGCONT");
    await work().finally(() => {
      running--;
      settle();
    });
  };
}

/** Serves a build as Vercel does: its routes, files and functions, which are frozen between calls. `bytes`: of each function. */
export const startRunner = async (
  build: BuildOutput,
  { port, environment }: { port: number; environment: Environment },
): Promise<{ bytes: Record<string, number>; stop: () => void }> => {
  const { routes, overrides = {} } = JSON.parse(readFileSync(path.join(build.output, "config.json"), "utf8"));
  const instances = new Map<string, Promise<Instance>>();
  /** Vercel makes one function of those that are linked to the same folder. */
  const functionAt = (name: string): Promise<Instance> => {
    const folder = path.relative(path.join(build.output, "functions"), realpathSync(folderOf(build, name)));
    const instance = instances.get(folder) ?? startFunction(build, folder.replace(/\.func$/, ""), environment);
    instances.set(folder, instance);
    return instance;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? "/";
    const at = url.includes("?") ? url.indexOf("?") : url.length;
    const routed: Routed = {
      path: url.slice(0, at),
      query: new URLSearchParams(url.slice(at)),
      requestHeaders: withAddress(headersOf(request), request.socket.remoteAddress),
      headers: new Headers(),
      status: undefined,
    };
    const found = await follow(routed, {
      routes,
      exists: (name) => fileOf(build, name) !== undefined || existsSync(folderOf(build, functionName(name))),
      middleware: async (given) => askMiddleware(await functionAt("_middleware"), { request, url, routed: given }),
    });
    if (found instanceof Response) return writeResponse(found, response, routed.headers);
    const target = found ?? "/_not-found";
    headersOfHit(target, routes, routed.headers);
    const file = fileOf(build, target);
    if (file) {
      const contentType = overrides[target.slice(1)]?.contentType ?? CONTENT_TYPES[path.extname(file)];
      response.writeHead(routed.status ?? (found ? 200 : 404), {
        ...Object.fromEntries(routed.headers),
        ...(contentType && { "content-type": contentType }),
      });
      return void response.end(readFileSync(file));
    }
    const instance = await functionAt(functionName(target));
    await instance.serve(() => pass(instance.port, { request, response, routed, target, url }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
  const bytes: Record<string, number> = {};
  for (const name of ["_middleware", "index", "api/health"]) bytes[name] = (await functionAt(name)).bytes;
  return {
    bytes,
    stop: () => {
      server.closeAllConnections();
      server.close();
      for (const instance of instances.values()) instance.then(({ stop }) => stop()).catch(() => {});
      rmSync(build.root, { recursive: true, force: true });
    },
  };
};

const CONTENT_TYPES: Record<string, string> = {
  ".js": "application/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

const functionName = (name: string): string => (name === "/" ? "index" : name.replace(/^\//, ""));
const folderOf = ({ output }: BuildOutput, name: string): string => path.join(output, "functions", `${name}.func`);

function fileOf({ output }: BuildOutput, name: string): string | undefined {
  const folder = path.join(output, "static");
  const file = path.join(folder, decoded(name));
  return file.startsWith(`${folder}/`) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("\0", "");
  } catch {
    return name;
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  return headers;
}

/** Vercel writes the caller's address, whatever the caller wrote there; the tests' addresses stand in for it. */
function withAddress(headers: Headers, socketAddress = ""): Headers {
  headers.set("x-vercel-forwarded-for", headers.get("x-forwarded-for") ?? socketAddress);
  headers.set("x-forwarded-proto", "http");
  return headers;
}

type Asking = { request: IncomingMessage; url: string; routed: Routed };

/** Asks the proxy: it answers, sends on elsewhere, or changes what the functions are given. */
async function askMiddleware(instance: Instance, { request, url, routed }: Asking): Promise<Response | undefined> {
  let answer = new Response();
  await instance.serve(async () => {
    const { method = "GET" } = request;
    const headers = new Headers(routed.requestHeaders);
    for (const name of ["connection", "content-length", "transfer-encoding", "expect", "upgrade"]) headers.delete(name);
    answer = await askThrough(instance.port, { url, method, headers });
  });
  const { headers } = answer;
  const overridden = headers.get("x-middleware-override-headers")?.split(",");
  if (overridden) {
    for (const name of overridden) {
      const value = headers.get(`x-middleware-request-${name}`);
      if (value === null) routed.requestHeaders.delete(name);
      else routed.requestHeaders.set(name, value);
    }
  }
  if (headers.get("x-middleware-next") !== "1" && !headers.has("x-middleware-rewrite")) return answer;
  for (const [name, value] of headers) {
    if (!name.startsWith("x-middleware-")) routed.headers.append(name, value);
  }
  return undefined;
}

const askThrough = (port: number, { url, method, headers }: { url: string; method: string; headers: Headers }) =>
  new Promise<Response>((resolve, reject) => {
    const sent = call(
      { port, host: "127.0.0.1", agent: false, path: url, method, headers: Object.fromEntries(headers) },
      async (got) => {
        const chunks: Buffer[] = [];
        for await (const chunk of got) chunks.push(chunk);
        const status = got.statusCode ?? 500;
        const hasBody = ![204, 304].includes(status) && chunks.length > 0;
        resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: headersOf(got) }));
      },
    );
    sent.on("error", reject).end();
  });

async function writeResponse(from: Response, to: ServerResponse, more: Headers) {
  const headers = [...more, ...from.headers].filter(([name]) => name !== "set-cookie" && name !== "transfer-encoding");
  to.writeHead(
    from.status,
    [...headers, ...from.headers.getSetCookie().map((cookie) => ["set-cookie", cookie])].flat() as string[],
  );
  to.end(Buffer.from(await from.arrayBuffer()));
}

type Passing = Asking & { response: ServerResponse; target: string };

/** Passes a call to a function, byte by byte in both directions; a caller who hangs up is noticed there. */
const pass = (port: number, { request, response, routed, target, url }: Passing): Promise<void> =>
  new Promise((resolve, reject) => {
    const { method } = request;
    const at = url.includes("?") ? url.indexOf("?") : url.length;
    const search = `${routed.query}`;
    const headers = rawHeadersOf(request, routed.requestHeaders);
    headers.push("x-matched-path", target);
    const address = url.slice(0, at) + (search && `?${search}`);
    const passed = call(
      { port, host: "127.0.0.1", agent: false, path: address, method, headers } as object,
      (got: IncomingMessage) => {
        const fields = got.rawHeaders.slice();
        for (const [name, value] of routed.headers) if (got.headers[name] === undefined) fields.push(name, value);
        response.writeHead(routed.status ?? got.statusCode ?? 500, fields);
        response.flushHeaders();
        pipeline(got, response).then(resolve, resolve);
      },
    );
    response.on("close", () => passed.destroy());
    passed.on("error", reject).on("close", () => resolve());
    pipeline(request, passed).catch(() => {});
  });

/** As they came, twice where they came twice, with what the routes changed. */
function rawHeadersOf({ rawHeaders }: IncomingMessage, now: Headers): string[] {
  const fields: string[] = [];
  const before = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    before.add(name);
    if (now.has(name)) fields.push(name, rawHeaders[i + 1] ?? "");
  }
  for (const [name, value] of now) if (!before.has(name)) fields.push(name, value);
  return fields;
}
