import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Agent, fetch } from "undici";
import { errorFields, log } from "@/lib/core/log";
import { frontDoor, ownOrigin } from "@/lib/core/own-server";
import { ALL_DOCS_PAGES } from "@/lib/docs/docs-pages";
import { readTheme, THEME_COOKIE, type Theme } from "./choice-cookies";
import { cookieValue, readSessionId } from "./session-token";

/** A request as seen by the front door. */
export type PageRequest = { method: string; url: string; headers: Record<string, string | string[] | undefined> };
export type CachedPage = { headers: Record<string, string>; body: Uint8Array | null };

/** A page as it was rendered once, with the nonce of that rendering. */
type Rendered = { headers: [string, string][]; html: string; nonce: string };

/** Pages that are the same for all visitors without a session; only these are cached. */
const PAGES: ReadonlySet<string> = new Set(["/", ...ALL_DOCS_PAGES]);
/** Not `x-switchboard-…`, because the front door strips those headers. */
const RENDER_HEADER = "x-render-token";
const RENDER_TIMEOUT_MS = 10_000;
/** Headers that belong to one connection or response. */
const UNCACHED_HEADERS = [
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-encoding",
  "content-length",
  "date",
];
/** Compressing costs far less than rendering, and higher levels cost more. */
const GZIP_LEVEL = 1;

/**
 * Returns a public page for a visitor without a session, rendered once per process and theme, with a new nonce each time:
 * rendering takes up to 100 ms of CPU, and anyone can request it. Undefined if Next must handle the request.
 */
export function cachedPublicPage(asked: PageRequest): Promise<CachedPage | undefined> | undefined {
  const { method, url, headers } = asked;
  const page = url.split("?", 1)[0] ?? "";
  const isForRouter = headers.rsc !== undefined || headers["next-router-state-tree"] !== undefined;
  if ((method !== "GET" && method !== "HEAD") || !PAGES.has(page) || isForRouter) return undefined;
  if (headers[RENDER_HEADER] === renderToken) return undefined;
  return answer(page, asked);
}

async function answer(page: string, { method, headers }: PageRequest): Promise<CachedPage | undefined> {
  const cookies = `${headers.cookie ?? ""}`;
  if (await readSessionId(cookies)) return undefined;
  const rendered = await renderedOnce(page, readTheme(cookieValue(cookies, THEME_COOKIE)));
  if (!rendered) return undefined;
  const nonce = randomBytes(16).toString("base64");
  const withNonce = (text: string) => text.replaceAll(rendered.nonce, nonce);
  const html = Buffer.from(withNonce(rendered.html));
  // Normalized by the front door.
  const isPacked = headers["accept-encoding"] === "gzip";
  const body = isPacked ? await promisify(gzip)(html, { level: GZIP_LEVEL }) : html;
  return {
    headers: {
      ...Object.fromEntries(rendered.headers.map(([name, value]) => [name, withNonce(value)])),
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
      "content-length": `${body.byteLength}`,
    },
    body: method === "HEAD" ? null : body,
  };
}

const renderToken = randomBytes(16).toString("hex");
const pages = new Map<string, Promise<Rendered | undefined>>();

/** Shares one rendering between all requests; after a failure the next request tries again. */
function renderedOnce(page: string, theme: Theme): Promise<Rendered | undefined> {
  const key = `${theme} ${page}`;
  const kept = pages.get(key);
  if (kept) return kept;
  const rendering = render(page, theme).then((rendered) => {
    if (!rendered) pages.delete(key);
    return rendered;
  });
  pages.set(key, rendering);
  return rendering;
}

async function render(page: string, theme: Theme): Promise<Rendered | undefined> {
  // Directly to this process: at the front door it would queue behind the requests for this page.
  const dispatcher = new Agent({ connect: { socketPath: frontDoor()?.pagesSocket } });
  try {
    const response = await fetch(`${ownOrigin()}${page}`, {
      headers: { [RENDER_HEADER]: renderToken, cookie: `${THEME_COOKIE}=${theme}` },
      redirect: "error",
      dispatcher,
      signal: AbortSignal.timeout(RENDER_TIMEOUT_MS),
    });
    const html = await response.text();
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
    if (response.status !== 200 || !nonce || response.headers.has("set-cookie")) return undefined;
    return { headers: [...response.headers].filter(([name]) => !UNCACHED_HEADERS.includes(name)), html, nonce };
  } catch (error) {
    log("warn", "page.not-rendered", errorFields(error));
    return undefined;
  } finally {
    void dispatcher.close();
  }
}
