import { expect, test } from "./dashboard-test";

const PAGES = ["/", "/sign-in", "/docs", "/docs/errors/NOT_FOUND", "/no-such-page"];

test("every page forbids inline scripts and framing, with a nonce of its own", async ({ request }) => {
  const nonces = new Set<string>();
  for (const path of PAGES) {
    const headers = (await request.get(path)).headers();
    const policy = headers["content-security-policy"] ?? "";
    expect(policy, path).not.toContain("'unsafe-inline'");
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(headers["x-content-type-options"], path).toBe("nosniff");
    expect(headers["referrer-policy"], path).toBeTruthy();
    expect(headers["x-powered-by"], path).toBeUndefined();
    nonces.add(policy.match(/'nonce-([^']+)'/)?.[1] ?? "");
  }
  expect(nonces.size).toBe(PAGES.length);
});

test("no cache keeps a page of the dashboard, and no redirect names the caller's host", async ({ request }) => {
  const answer = await request.get("/dashboard/messages", {
    maxRedirects: 0,
    headers: { "x-forwarded-host": "evil.example" },
  });
  expect(answer.status()).toBe(307);
  expect(answer.headers().location).not.toContain("evil.example");
  expect(answer.headers()["cache-control"]).toContain("no-store");
});

test("an injected inline handler does not run", async ({ page }) => {
  await page.goto("/");
  const ran = await page.evaluate(async () => {
    const image = document.createElement("img");
    image.setAttribute("onerror", "window.__ran = true");
    image.src = "/no-such-image.png";
    document.body.append(image);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return "__ran" in window;
  });
  expect(ran).toBe(false);
});

test("what next-auth refuses has the shape of our errors", async ({ request, workspace }) => {
  const { csrfToken } = await (await request.get("/api/auth/csrf")).json();
  const wrong = await request.post("/api/auth/callback/credentials", {
    form: { csrfToken, email: workspace.owner.email, password: "wrong", json: "true" },
  });
  expect(wrong.status()).toBe(401);
  const unknown = await request.get("/api/auth/no-such-route");
  const method = await request.put("/api/auth/session");
  for (const [answer, code] of [
    [wrong, "UNAUTHORIZED"],
    [unknown, "NOT_FOUND"],
    [method, "METHOD_NOT_ALLOWED"],
  ] as const) {
    expect(await answer.json()).toEqual({
      error: code,
      message: expect.any(String),
      details: expect.objectContaining({
        requestId: expect.stringMatching(/^req_/),
        docsUrl: expect.stringContaining(code),
      }),
    });
  }
});
