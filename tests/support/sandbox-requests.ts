import { expect } from "vitest";
import { createSandbox, type SandboxOptions } from "@/lib/sandbox/sandbox";

export const LINE = "106500001";

/** A request as it reaches the sandbox; null sends no token. */
export const request = (path: string, init: RequestInit = {}, token: string | null = "Bearer token") =>
  new Request(`https://host.example${path}`, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init.headers)), ...(token === null ? {} : { authorization: token }) },
  });

export const send = (to: string, more: object = {}) =>
  request(`/v25.0/${LINE}/messages`, {
    method: "POST",
    body: JSON.stringify({ messaging_product: "whatsapp", to: `+${to}`, type: "text", text: { body: "Hi" }, ...more }),
  });

/** What a sandbox that takes any template answers to the body of a send; a text is sent as it is. */
export const post = async (body: unknown, more: Partial<SandboxOptions> = {}) => {
  const options = { webhook: undefined, templates: async () => [], acceptUnknownTemplates: true, ...more };
  const init = { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await createSandbox(options).handle(request(`/v25.0/${LINE}/messages`, init));
  return { status: response.status, body: await response.json() };
};

/** A 400 with a code in WhatsApp's shape, whose details hold these words. */
export const expectRefused = (answer: Awaited<ReturnType<typeof post>>, code: number, details: string): void => {
  expect(answer.body.error).toMatchObject({
    code,
    message: expect.stringMatching(new RegExp(`^\\(#${code}\\) `)),
    type: "OAuthException",
    error_data: { messaging_product: "whatsapp", details: expect.stringContaining(details) },
    fbtrace_id: expect.stringMatching(/^A[\w-]{20,}$/),
  });
  expect(answer.status).toBe(400);
};
