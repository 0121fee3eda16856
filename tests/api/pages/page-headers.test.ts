import { beforeAll, describe, expect, test } from "vitest";
import { expectApiHeaders } from "../../support/edge-headers";
import { startInstance, testServers } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { freshAddress } from "../../support/limits";
import { head, rawRequest } from "../../support/raw-http";
import { signIn, submitSignIn } from "../../support/session";
import { type Answer, request } from "../../support/workspace";
import { MATRIX } from "../access/matrix";
import { furnishTarget } from "../access/target";

const PUBLIC_URL = "https://messages.example.test";
const BASE = testServers().baseUrl;

const secure = forSuite(() => startInstance({ APP_URL: PUBLIC_URL }));
const target = forSuite(() => furnishTarget());
let cookie: string;
beforeAll(async () => {
  cookie = await signIn(target.owner);
});

const PAGES = MATRIX.filter(({ file }) => file.endsWith("page.tsx"));
/** The same for every visitor, and worth keeping: every other answer is `no-store`. */
const KEPT_FILES = /^(docs\/search-index\.json|robots\.txt|sitemap\.xml)\/route\.ts$/;
const ROUTES = MATRIX.filter(({ file, method }) => file.endsWith("route.ts") && method === "GET");

const expectPageHeaders = (headers: Headers, { isHttps }: { isHttps: boolean }) => {
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/default-src 'none'; script-src 'self' 'nonce-[\w+/]{22}==' 'strict-dynamic';/);
  expect(policy).not.toMatch(/unsafe/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
  expect(headers.get("x-powered-by")).toBeNull();
  const hsts = headers.get("strict-transport-security");
  if (isHttps) expect(Number(hsts?.match(/^max-age=(\d+); includeSubDomains$/)?.[1])).toBeGreaterThan(31_536_000);
  else expect(hsts).toBeNull();
};

/** Every script carries the nonce of the page's policy, and nothing else runs. */
const expectOnlyOwnScripts = ({ headers, text, status }: Answer) => {
  const nonce = headers.get("content-security-policy")?.match(/'nonce-([^']+)'/)?.[1] ?? "none";
  const scripts = [...text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
  if (status === 200) expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
  expect(text).not.toMatch(/<[a-z][^>]*\son[a-z]+=/i);
  expect(text).not.toMatch(/<[a-z][^>]*\sstyle=/i);
};

describe("headers", () => {
  test.each(PAGES.map(({ file, path }) => [file, path] as const))("of %s, for every visitor", async (_file, path) => {
    const visitors: Record<string, string>[] = [{}, { cookie }];
    for (const headers of visitors) {
      const answer = await request("GET", `${BASE}${path(target)}`, { headers });
      expectPageHeaders(answer.headers, { isHttps: false });
      expectOnlyOwnScripts(answer);
      if (path(target).startsWith("/dashboard")) expect(answer.headers.get("cache-control")).toContain("no-store");
    }
  });

  // One place writes them, by the origin alone, so one page of each kind shows that it does.
  test("of an https deployment, whose visitors come by https from then on", async () => {
    for (const path of ["/", "/docs", "/sign-in", "/dashboard"]) {
      const answer = await request("GET", `${secure.baseUrl}${path}`);
      expectPageHeaders(answer.headers, { isHttps: true });
      expectOnlyOwnScripts(answer);
    }
  });

  test("of a page that does not exist and of a foreign form", async () => {
    for (const [method, path] of [
      ["GET", "/no-such-page"],
      ["GET", "/dashboard/no-such-page"],
      ["POST", "/dashboard"],
    ]) {
      const answer = await request(method ?? "", `${secure.baseUrl}${path}`, { headers: { cookie } });
      expectPageHeaders(answer.headers, { isHttps: true });
    }
  });

  test("of what is refused before it reaches a page: it may load and do nothing", async () => {
    for (const [line, status] of [
      ["PUT /docs", 405],
      ["POST /icon.svg", 405],
      ["GET //", 404],
      ["GET /%", 400],
    ] as const) {
      const answer = await rawRequest(secure.baseUrl, head(line));
      expect(answer?.status, line).toBe(status);
      expect(answer?.headers.get("content-security-policy")).toBe(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(answer?.headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
      expect(answer?.headers.get("strict-transport-security")).toMatch(/^max-age=\d+; includeSubDomains$/);
    }
  });

  test.each(ROUTES.map(({ path, file }) => [file, path] as const))("of %s, whatever it answers", async (file, path) => {
    expectApiHeaders(
      await request("GET", `${BASE}${path(target)}`, { headers: { "x-forwarded-for": freshAddress() } }),
      KEPT_FILES.test(file) ? "public, max-age=3600" : "no-store",
    );
  });

  test("of built files and pictures: their type is not guessed", async () => {
    const html = (await request("GET", `${BASE}/`)).text;
    const files = [...html.matchAll(/"(\/_next\/static\/[^"\\]+\.(?:js|css))/g)].map(([, file]) => file ?? "");
    expect(files.length).toBeGreaterThan(1);
    for (const path of [
      ...new Set(files),
      "/icon.svg",
      "/favicon.ico",
      "/_next/static/none.js",
      "/_next/image?url=%2Ficon.svg",
    ]) {
      const { headers } = await fetch(`${BASE}${path}`);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  });

  test("of the icon, also where browsers look for it by themselves", async () => {
    for (const path of ["/icon.svg", "/favicon.ico"]) {
      const { status, headers } = await fetch(`${BASE}${path}`);
      expect([status, headers.get("content-type")], path).toEqual([200, "image/svg+xml"]);
    }
  });

  test("a session of an https deployment travels over https only", async () => {
    const answer = await submitSignIn(target.owner, { baseUrl: secure.baseUrl });
    const csrf = await request("GET", `${secure.baseUrl}/api/auth/csrf`);
    const sets = [...answer.headers.getSetCookie(), ...csrf.headers.getSetCookie()];
    for (const set of sets) {
      expect(set).toMatch(/^__(Secure|Host)-next-auth\..*; HttpOnly; Secure; SameSite=Lax/);
      // The mark of a known browser goes to one path only, which the prefix does not allow.
      if (!set.includes("next-auth.known-browser")) expect(set).toMatch(/^__Host-[^;]+; Path=\/;/);
      expect(set).not.toMatch(/; Domain=/i);
    }
    const names = sets.map((set) => set.split("=", 1)[0]);
    expect(names).toContain("__Host-next-auth.session-token");
    expect(names).toContain("__Host-next-auth.callback-url");
    // Under the names of a deployment without TLS, or of another host of the domain, the session opens nothing.
    const session = sets.find((set) => set.startsWith("__Host-next-auth.session-token="))?.split(";", 1)[0] ?? "";
    const open = async (given: string) =>
      (await fetch(`${secure.baseUrl}/api/auth/session`, { headers: { cookie: given } })).text();
    expect(await open(session)).toContain("expires");
    for (const prefix of ["", "__Secure-"]) expect(await open(session.replace("__Host-", prefix))).toBe("{}");
  });
});

const host = new URL(BASE).host;

/** Each of a kind; the rule itself has its cases in tests/unit/callback-path.test.ts. */
const HOSTILE = ["https://evil.test/dashboard", "/\t/evil.test", "javascript:alert(1)", "http://[::1"];

/** Where a browser would end up: on this host, or nowhere. */
const expectOwnHost = (location: string | null, what: string) => {
  if (location === null) return;
  const url = new URL(location, BASE);
  expect(url.origin, `${what} → ${location}`).toBe(BASE);
  expect(location, what).not.toMatch(/^(\/\/|\/\\)/);
  const onward = url.searchParams.get("callbackUrl");
  if (onward !== null) expect(new URL(onward, BASE).origin, `${what} → ${location}`).toBe(BASE);
};

describe("a router's state that no one could have sent", () => {
  test.each(["x", "%", "[", "{}", "%5B%22%22%5D", encodeURIComponent('["",{"children":["x",{},null,"never"]}]')])(
    "%s is as none: the page is answered",
    async (state) => {
      const headers = { cookie, RSC: "1", "Next-Router-State-Tree": state };
      for (const path of ["/docs", "/dashboard", "/sign-in"]) {
        const answer = await request("GET", `${BASE}${path}`, { headers });
        expect(answer.status, `${path} ${answer.text}`).toBeLessThan(400);
      }
    },
  );
});

describe("callback addresses stay on this host", () => {
  test.each(HOSTILE)("%j", async (callbackUrl) => {
    const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`;
    const signedIn = await request("GET", `${BASE}/sign-in?${query}`, { headers: { cookie } });
    expect(signedIn.status).toBe(307);
    expectOwnHost(signedIn.headers.get("location"), "the sign-in page");
    for (const route of ["signin", "signout", "error", "callback/credentials", "session", "csrf", "verify-request"]) {
      const answer = await request("GET", `${BASE}/api/auth/${route}?${query}`, { headers: { cookie } });
      expect(answer.status, `${route} ${answer.text}`).toBeLessThan(500);
      expectOwnHost(answer.headers.get("location"), route);
      for (const set of answer.headers.getSetCookie()) {
        expect(decodeURIComponent(set), route).not.toMatch(/callback-url=(?!http:\/\/localhost:\d+(\/[^/]|;|$))[^;]+;/);
      }
    }
    const signIn = await submitSignIn(target.owner, { callbackUrl });
    expect(signIn.status, signIn.text).toBe(200);
    const { url }: { url?: string } = JSON.parse(signIn.text);
    expectOwnHost(url ?? null, "after signing in");
  });

  test("a cookie with rubbish is refused once, and forgotten", async () => {
    for (const route of ["csrf", "session", "signin"]) {
      const answer = await request("GET", `${BASE}/api/auth/${route}`, {
        headers: { cookie: "next-auth.callback-url=javascript%3Aalert(1)" },
      });
      expect([answer.status, answer.body.error]).toEqual([400, "VALIDATION_ERROR"]);
      expect(answer.headers.get("set-cookie")).toMatch(/^next-auth\.callback-url=; .*Max-Age=0/);
    }
  });
});

describe("what a client makes up about itself", () => {
  const FORGED = {
    "X-Forwarded-Host": "evil.test",
    "X-Forwarded-Proto": "javascript",
    "X-Forwarded-Port": "1",
    "X-Forwarded-Server": "evil.test",
    "X-Forwarded-Prefix": "//evil.test",
    "X-Original-Host": "evil.test",
    "X-Host": "evil.test",
    Forwarded: "host=evil.test;proto=https",
    "X-Invoke-Path": "/dashboard",
    "X-Matched-Path": "/dashboard",
    "X-Middleware-Rewrite": "https://evil.test",
    "X-Middleware-Subrequest": "proxy:proxy:proxy:proxy:proxy",
    "X-Middleware-Next": "1",
    "X-Nextjs-Data": "1",
    "X-Original-URL": "/dashboard",
    "X-Rewrite-URL": "/dashboard",
  };
  const PATHS = [...PAGES, ...ROUTES].map(({ path }) => path);

  test("changes neither a status, nor a redirect, nor a word", async () => {
    for (const path of PATHS.map((pathOf) => pathOf(target))) {
      const as = { "X-Forwarded-For": freshAddress() };
      const honest = await rawRequest(BASE, head(`GET ${path}`, { Host: host, ...as }));
      for (const Host of ["evil.test", host]) {
        const answer = await rawRequest(BASE, head(`GET ${path}`, { Host, ...FORGED, ...as }));
        expect(answer?.status, path).toBe(honest?.status);
        expect(answer?.headers.get("location"), path).toBe(honest?.headers.get("location"));
        expect(answer?.text, path).not.toContain("evil.test");
        expect(answer?.body.details?.docsUrl, path).toBe(honest?.body.details?.docsUrl);
      }
    }
  });

  test("nor what an https deployment says of itself", async () => {
    for (const path of ["/dashboard", "/api/auth/signin", "/api/auth/providers", "/api/v1/public/templates", "/docs"]) {
      const answer = await rawRequest(secure.baseUrl, head(`GET ${path}`, { Host: "evil.test", ...FORGED }));
      expect(`${answer?.headers.get("location")} ${answer?.text}`, path).not.toMatch(/evil\.test/);
      const { origin } = new URL(answer?.headers.get("location") ?? "/", PUBLIC_URL);
      expect(origin, path).toBe(PUBLIC_URL);
    }
  });
});
