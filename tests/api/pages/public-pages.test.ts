import { beforeAll, describe, expect, test } from "vitest";
import { cpuMs } from "../../support/cpu-time";
import { startInstance, testServers } from "../../support/environment";
import { forSuite } from "../../support/for-suite";
import { signIn } from "../../support/session";
import { provisionWorkspace, request } from "../../support/workspace";

const BASE = testServers().baseUrl;
const PAGE = "/docs/quickstart";

const read = (path: string, headers: Record<string, string> = {}) => request("GET", `${BASE}${path}`, { headers });

const nonceOf = (headers: Headers) => headers.get("content-security-policy")?.match(/'nonce-([^']+)'/)?.[1] ?? "none";

beforeAll(async () => {
  await provisionWorkspace();
});

describe("200: a public page for a stranger", () => {
  test("is the same each time but for its nonce, which every script of it carries", async () => {
    const [one, two] = [await read(PAGE), await read(PAGE)];
    const [first, second] = [nonceOf(one.headers), nonceOf(two.headers)];
    expect(first).not.toBe(second);
    expect(one.text.replaceAll(first, second)).toBe(two.text);
    const scripts = [...two.text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((tag) => !tag.includes(`nonce="${second}"`))).toEqual([]);
    expect(two.text).not.toContain("{{nonce}}");
  });

  test("is in the stranger's own theme, whatever the one before chose", async () => {
    for (const theme of ["dark", "light", "system", "dark"]) {
      const { text } = await read(PAGE, { cookie: `theme=${theme}` });
      expect(text.match(/<html[^>]*data-theme="(\w+)"/)?.[1]).toBe(theme);
      expect(text).not.toContain("{{theme}}");
    }
    expect((await read(PAGE, { cookie: 'theme="><script>' })).text).toContain('data-theme="system"');
  });

  test("names no one's key after someone signed in has read it, and theirs again for them", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const cookie = await signIn(workspace.owner);
    await read(PAGE);
    expect((await read(PAGE, { cookie })).text).toContain(workspace.apiKey);
    expect((await read(PAGE)).text).not.toContain(workspace.apiKey);
    expect((await read(PAGE, { cookie: "next-auth.session-token=made-up" })).text).not.toContain(workspace.apiKey);
  });

  test("takes no query, no host and no header into what others read", async () => {
    const mark = "planted-by-a-stranger";
    for (const path of ["/docs/polling", "/docs"]) {
      await read(`${path}?q=${mark}`, {
        "x-forwarded-host": `${mark}.test`,
        referer: `https://${mark}.test`,
        "user-agent": mark,
      });
      const { status, text, headers } = await read(path);
      expect([status, text.includes(mark), [...headers.values()].join().includes(mark)]).toEqual([200, false, false]);
    }
  });

  test("has no body for HEAD, and is packed for who takes gzip", async () => {
    const head = await request("HEAD", `${BASE}${PAGE}`);
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"]);
    const packed = await fetch(`${BASE}${PAGE}`, { headers: { "accept-encoding": "gzip" } });
    const plain = await fetch(`${BASE}${PAGE}`, { headers: { "accept-encoding": "identity" } });
    expect([packed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual(["gzip", null]);
    const [one, two] = [await packed.text(), await plain.text()];
    expect(one.replaceAll(nonceOf(packed.headers), "")).toBe(two.replaceAll(nonceOf(plain.headers), ""));
  });

  test("is left to the router where the router asks, and a page that is not there to its 404", async () => {
    const { headers } = await read(PAGE, { RSC: "1" });
    expect(headers.get("content-type")).toContain("text/x-component");
    expect((await read("/docs/none")).status).toBe(404);
  });
});

describe("a flood of strangers", () => {
  const server = forSuite(() => startInstance({}));

  test("renders a page once: 75 more answers cost less CPU than 15 renderings", async () => {
    const ask = async () => expect((await fetch(`${server.baseUrl}/docs/reference`)).status).toBe(200);
    const router = async () => (await fetch(`${server.baseUrl}/docs/reference?r`, { headers: { RSC: "1" } })).text();
    for (let i = 0; i < 5; i++) await Promise.all([ask(), router()]);
    const beganAt = cpuMs(server.pid);
    for (let i = 0; i < 15; i++) await router();
    const renderings = cpuMs(server.pid) - beganAt;
    for (let i = 0; i < 75; i++) await ask();
    expect(cpuMs(server.pid) - beganAt - renderings).toBeLessThan(renderings);
  });
});

describe("every HTML answer", () => {
  const ODD = [
    "/samples/nothing",
    "/icon.svg/x",
    "/docs/x.md",
    "/docs/none",
    "/_next/static/nothing.js",
    "/_next/image?url=%2Fx",
    "/openapi.jsonx",
    "/api/nothing",
    "/dashboard/nothing",
    "/invite/nothing",
    "/%00",
    "/a%2e%2e/b",
  ];

  test("at an odd address carries a policy without inline scripts", async () => {
    for (const path of ODD) {
      const { headers } = await read(path);
      if (!headers.get("content-type")?.includes("html")) continue;
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toMatch(/default-src 'none'/);
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).not.toContain("unsafe");
    }
  });

  test("is none below /api, nor where Markdown is asked for", async () => {
    for (const path of ["/api", "/api/nothing", "/api/v1/nothing", "/docs/x.md"]) {
      expect((await read(path)).headers.get("content-type"), path).not.toContain("html");
    }
  });
});
