import { expect, test } from "./dashboard-test";

test("an injected inline handler does not run", async ({ page }) => {
  await page.goto("/");
  const refused = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
        const image = document.createElement("img");
        image.setAttribute("onerror", "window.__ran = true");
        image.src = "/no-such-image.png";
        document.body.append(image);
      }),
  );
  expect([refused, await page.evaluate(() => "__ran" in window)]).toEqual(["script-src-attr", false]);
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
