import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ALL_DOCS_PAGES } from "@/lib/docs/docs-pages";
import { testServers } from "../../support/environment";
import { signIn } from "../../support/session";
import { provisionWorkspace, request } from "../../support/workspace";

const BASE = testServers().baseUrl;
const get = (path: string, cookie = "") => request("GET", `${BASE}${path}`, { headers: { cookie } });

const FILES = [
  ["/docs/search-index.json", "application/json"],
  ["/sitemap.xml", "application/xml; charset=utf-8"],
  ["/robots.txt", "text/plain; charset=utf-8"],
] as const;

describe("200", () => {
  test.each(FILES)("%s is public, and caches may keep it for an hour", async (path, type) => {
    const { status, headers } = await get(path);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      type,
      "public, max-age=3600",
    ]);
    expect([headers.get("set-cookie"), headers.get("x-content-type-options")]).toEqual([null, "nosniff"]);
  });

  test.each(FILES)("%s is the same for an owner, without their key or a secret", async (path) => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const { text } = await get(path, await signIn(workspace.owner));
    expect(text).toBe((await get(path)).text);
    expect(text).not.toContain(workspace.apiKey);
    expect(text).not.toMatch(/[ps]k_(?:test|live)_\w{8}/);
    for (const [name, value] of Object.entries(testServers().environment)) {
      if (/SECRET|PEPPER|ENCRYPTION|TOKEN|DATABASE/.test(name)) expect(text, name).not.toContain(value);
    }
  });

  test("every page and code that /llms.txt names is there, under this host", async () => {
    const { status, headers, text } = await get("/llms.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    const addresses = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address]) => address ?? "");
    expect(addresses.length).toBeGreaterThan(15);
    for (const address of addresses) {
      expect(address.startsWith(BASE), address).toBe(true);
      expect((await request("GET", address)).status, address).toBe(200);
    }
  });

  test("/docs/client.ts is the package's client in one file, with this deployment's address", async () => {
    const { headers, text } = await get("/docs/client.ts");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toContain(`const DEFAULT_ORIGIN = "${BASE}";`);
    expect(text).toContain("export class Switchboard {");
  });

  test("the search index has every page, and is small: below 200 KB, and 45 KB where a proxy packs it", async () => {
    const { text } = await get("/docs/search-index.json");
    const index: { path: string }[] = JSON.parse(text);
    expect(index.map(({ path }) => path)).toEqual(ALL_DOCS_PAGES);
    expect([text.length < 200_000, gzipSync(text).length < 45_000]).toEqual([true, true]);
  });

  test("the sitemap names every page of the docs under this host, and nothing else", async () => {
    const { text } = await get("/sitemap.xml");
    const addresses = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
    expect(addresses).toEqual(ALL_DOCS_PAGES.map((path) => `${BASE}${path}`));
  });

  test("robots.txt keeps crawlers out of the dashboard and the API, and names the sitemap", async () => {
    const lines = (await get("/robots.txt")).text.split("\n");
    for (const line of ["User-agent: *", "Disallow: /dashboard", "Disallow: /api/", `Sitemap: ${BASE}/sitemap.xml`]) {
      expect(lines).toContain(line);
    }
    const disallowed = lines.flatMap((line) => /^Disallow: (.+)$/.exec(line)?.[1] ?? []);
    for (const page of ["/", ...ALL_DOCS_PAGES]) {
      expect(
        disallowed.filter((start) => page.startsWith(start)),
        page,
      ).toEqual([]);
    }
  });

  test("a page names its own address and what other sites show of it", async () => {
    for (const path of ["/", "/docs", "/docs/polling", "/docs/errors/NOT_FOUND", "/docs/errors/platform/131026"]) {
      const { text } = await get(`${path}?q=x`);
      expect(text, path).toContain(`<link rel="canonical" href="${BASE}${path}"/>`);
      for (const name of ["title", "description", "url"]) expect(text, path).toContain(`<meta property="og:${name}"`);
      expect(text, path).toContain(`<meta property="og:image" content="${BASE}/og.png"/>`);
    }
  });

  test("the picture of a page is a PNG of 1200 × 630 below 100 KB", async () => {
    const response = await fetch(`${BASE}/og.png`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(bytes.length).toBeLessThan(100_000);
  });
});

describe("405", () => {
  test.each(FILES)("%s is only read", async (path) => {
    const { status, body, headers } = await request("POST", `${BASE}${path}`);
    expect([status, body.error, headers.get("cache-control")]).toEqual([405, "METHOD_NOT_ALLOWED", "no-store"]);
  });
});
