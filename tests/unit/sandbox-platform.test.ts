import { describe, expect, test } from "vitest";
import { createSandbox, type SandboxEvent, type SandboxOptions } from "@/lib/sandbox/sandbox";
import { LINE, request, send } from "../support/sandbox-requests";

const sandboxFor = (more: Partial<SandboxOptions> = {}) =>
  createSandbox({ webhook: undefined, templates: async () => [], acceptUnknownTemplates: true, ...more });

describe("tokens: 401", () => {
  test.each([
    ["none", null, undefined],
    ["another scheme", "Basic abc", undefined],
    ["an expired one", "Bearer expired-token", 463],
  ])("%s is refused with 190", async (_, token, subcode) => {
    const response = await sandboxFor().handle(request(`/v25.0/${LINE}`, {}, token));
    expect(response.status).toBe(401);
    const { error } = await response.json();
    expect(error).toMatchObject({ type: "OAuthException", code: 190, message: "(#190) Invalid OAuth access token" });
    expect(error.error_subcode).toBe(subcode);
  });

  test("a host's own check hides the object", async () => {
    const seen: unknown[] = [];
    const sandbox = sandboxFor({
      isAuthorized: async (access) => {
        seen.push(access);
        return false;
      },
    });
    const response = await sandbox.handle(send("447700900001"));
    expect((await response.json()).error).toMatchObject({ code: 100, error_subcode: 33 });
    expect(seen).toEqual([{ accessToken: "token", objectId: LINE }]);
  });
});

describe("bodies", () => {
  test.each([
    ["no token", null],
    ["a token that opens nothing", "Bearer token"],
  ])("with %s are not read", async (_, token) => {
    const incoming = request(`/v25.0/${LINE}/messages`, { method: "POST", body: "{}" }, token);
    const response = await sandboxFor({ isAuthorized: async () => false }).handle(incoming);
    expect([response.ok, incoming.bodyUsed]).toEqual([false, false]);
  });

  test.each([`${LINE}/messages`, `${LINE}/message_templates`, `${LINE}/subscribed_apps`, "me"])(
    "413: of more than 256 KB for %s",
    async (path) => {
      const body = JSON.stringify({ name: "x".repeat(256 * 1_024) });
      const response = await sandboxFor().handle(request(`/v25.0/${path}`, { method: "POST", body }));
      expect(response.status).toBe(413);
      const { error } = await response.json();
      expect(error).toMatchObject({ type: "OAuthException", code: 100, fbtrace_id: expect.any(String) });
      expect(error.error_data.details).toBe("The request body must be at most 262144 bytes long.");
    },
  );
});

describe("unknown objects: 400, code 100, subcode 33", () => {
  test.each([
    ["GET", "/"],
    ["GET", "/v25.0/"],
    ["GET", "/v25.0/none"],
    ["GET", "/v25.0/0/phone_numbers"],
    ["GET", `/${LINE}`],
    ["POST", `/v25.0/${LINE}/message`],
    ["DELETE", `/v25.0/${LINE}/messages`],
    ["POST", `/v25.0/${LINE}/messages/1`],
  ])("%s %s", async (method, path) => {
    const response = await sandboxFor().handle(request(path, { method }));
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatchObject({ code: 100, error_subcode: 33, type: "GraphMethodException" });
  });

  test("a base path is required where one is set", async () => {
    const sandbox = sandboxFor({ basePath: "/api/sandbox" });
    expect((await sandbox.handle(request(`/api/sandbox/v25.0/${LINE}`))).status).toBe(200);
    expect((await sandbox.handle(request(`/v25.0/${LINE}`))).status).toBe(400);
  });
});

describe("media", () => {
  const upload = async (file: Blob | undefined, fields: Record<string, string> = {}) => {
    const form = new FormData();
    const all = { messaging_product: "whatsapp", ...(file ? { type: file.type } : {}), ...fields };
    for (const [name, value] of Object.entries(all)) if (value !== "") form.set(name, value);
    if (file) form.set("file", file, "a file");
    const response = await sandboxFor().handle(request(`/v25.0/${LINE}/media`, { method: "POST", body: form }));
    return { status: response.status, body: await response.json() };
  };
  const file = (type: string, bytes = 10) => new Blob([new Uint8Array(bytes)], { type });

  test.each([
    ["image/jpeg", 5_242_880],
    ["image/png", 10],
    ["video/mp4", 10],
    ["audio/ogg", 10],
    ["application/pdf", 10],
    ["image/webp", 512_000],
  ])("200: %s of %i bytes gets an id of digits", async (type, bytes) => {
    expect(await upload(file(type, bytes))).toEqual({ status: 200, body: { id: expect.stringMatching(/^\d{15}$/) } });
  });

  test.each<[string, Blob | undefined, Record<string, string>]>([
    ["an unknown type", file("image/gif"), {}],
    ["a type that the file is not", file("image/png"), { type: "image/jpeg" }],
    ["an image over 5 MB", file("image/jpeg", 5_242_881), {}],
    ["a video over 16 MB", file("video/mp4", 16_777_217), {}],
    ["an empty file", file("image/png", 0), {}],
    ["no file", undefined, { type: "image/png" }],
    ["no type", file("image/png"), { type: "" }],
    ["no messaging_product", file("image/png"), { messaging_product: "" }],
  ])("400: %s", async (_, blob, fields) => {
    expect(await upload(blob, fields)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  test("400: a body that is no form", async () => {
    const response = await sandboxFor().handle(send("447700900001"));
    expect(response.status).toBe(200);
    const notForm = request(`/v25.0/${LINE}/media`, { method: "POST", body: "{}" });
    expect((await sandboxFor().handle(notForm)).status).toBe(400);
  });
});

describe("accounts: 200", () => {
  const json = async (sandbox: ReturnType<typeof sandboxFor>, path: string, init: RequestInit = {}) =>
    (await sandbox.handle(request(`/v25.0/${path}`, init))).json();

  test("an account has one number, whose record holds the asked fields", async () => {
    const sandbox = sandboxFor();
    const list = await json(sandbox, "102200001/phone_numbers");
    expect(list).toEqual({
      data: [
        {
          id: "202200001",
          display_phone_number: "+44 20 7946 0001",
          verified_name: "Sandbox Shop",
          quality_rating: "GREEN",
          code_verification_status: "VERIFIED",
        },
      ],
    });
    expect(await json(sandbox, "202200001?fields=status,id")).toEqual({ id: "202200001", status: "CONNECTED" });
  });

  test("subscribed_apps is reported, shown with its override, and ended", async () => {
    const sandbox = sandboxFor();
    const path = "102200001/subscribed_apps";
    expect(await json(sandbox, path)).toEqual({ data: [] });
    expect(await json(sandbox, path, { method: "POST" })).toEqual({ success: true });
    expect((await json(sandbox, path)).data).toHaveLength(1);
    const override = { override_callback_uri: "https://a.example/hook", verify_token: "t" };
    await json(sandbox, path, { method: "POST", body: JSON.stringify(override) });
    expect((await json(sandbox, path)).data[0].override_callback_uri).toBe("https://a.example/hook");
    expect(await json(sandbox, path, { method: "DELETE" })).toEqual({ success: true });
    expect(await json(sandbox, path)).toEqual({ data: [] });
  });

  test.each([
    ["202000220", "YELLOW", "CONNECTED"],
    ["202000230", "RED", "CONNECTED"],
    ["202000231", "RED", "BANNED"],
    ["202000232", "GREEN", "CONNECTED"],
  ])("the end of the number %s says its quality %s and its status %s", async (id, quality_rating, status) => {
    const record = await json(sandboxFor(), `${id}?fields=quality_rating,status`);
    expect(record).toEqual({ id, quality_rating, status });
  });

  test.each([
    ["102200001", ["202200001"]],
    ["102000003", ["202000003", "302000003", "402000003"]],
    ["102000000", []],
  ])("the account %s has the numbers %j", async (account, ids) => {
    const { data } = await json(sandboxFor(), `${account}/phone_numbers?fields=id`);
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test("an override that is not https is refused", async () => {
    const body = JSON.stringify({ override_callback_uri: "http://a.example", verify_token: "t" });
    const answer = await json(sandboxFor(), "102200001/subscribed_apps", { method: "POST", body });
    expect(answer.error.code).toBe(100);
  });
});

describe("what a batch shows of a token", () => {
  const inspect = async (token: string, batch: string = batchOf(token)) => {
    const body = new FormData();
    body.set("batch", batch);
    const init = { method: "POST", body };
    const response = await sandboxFor().handle(request("/v25.0/me", init, `Bearer ${token}`));
    const answer = await response.json();
    return { status: response.status, answer, data: response.ok ? JSON.parse(answer[0].body).data : undefined };
  };
  const batchOf = (token: string) =>
    JSON.stringify([{ method: "GET", relative_url: `debug_token?input_token=${encodeURIComponent(token)}` }]);

  test.each([
    ["lasting", 0, 2],
    ["day-and-night", 86_340, 2],
    ["week-long", 518_400, 2],
    ["narrow", 0, 1],
  ])("%s ends in %i s and has %i scopes", async (token, seconds, scopes) => {
    const { status, data } = await inspect(token);
    expect([status, data.is_valid, data.scopes.length]).toEqual([200, true, scopes]);
    const left = data.expires_at === 0 ? 0 : data.expires_at - Date.now() / 1_000;
    expect(Math.abs(left - seconds)).toBeLessThan(5);
  });

  test("an expired one is refused before it is looked at", async () => {
    expect(await inspect("expired-1")).toMatchObject({ status: 401, answer: { error: { code: 190 } } });
  });

  test.each(["", "[1]", '[{"method":"GET","relative_url":"me"}]'])("another batch is a 400: %j", async (batch) => {
    expect(await inspect("lasting", batch)).toMatchObject({ status: 400, answer: { error: { code: 100 } } });
  });
});

describe("the log", () => {
  test("holds one event per request, the message as posted, and no token", async () => {
    const events: SandboxEvent[] = [];
    const sandbox = sandboxFor({ log: (event) => events.push(event) });
    await sandbox.handle(send("447700900200"));
    await sandbox.handle(request(`/v25.0/${LINE}`, {}, "Bearer expired"));
    expect(events).toEqual([
      {
        kind: "request",
        at: expect.any(String),
        method: "POST",
        path: `/v25.0/${LINE}/messages`,
        status: 400,
        send: { phoneNumberId: LINE, body: expect.objectContaining({ type: "text" }) },
      },
      { kind: "request", at: expect.any(String), method: "GET", path: `/v25.0/${LINE}`, status: 401 },
    ]);
    expect(JSON.stringify(events)).not.toContain("token");
  });
});
