import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { actionIn, postAction, postPage } from "../support/actions";
import { startInstance, testServers } from "../support/environment";
import { head, rawRequest } from "../support/raw-http";
import { onRows } from "../support/rows";
import { expectError } from "../support/sends";
import { signIn } from "../support/session";
import { provisionWorkspace, request, type TestWorkspace } from "../support/workspace";

const ORIGIN = testServers().environment.APP_URL ?? "";
const PORT = new URL(ORIGIN).port;
const MAX_BYTES = 262_144;

const page = async (path: string, cookie: string) => {
  const { status, text } = await request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie } });
  return { status, text };
};

const signedIn = async () => {
  const workspace = await provisionWorkspace();
  const cookie = await signIn(workspace.owner);
  const { text } = await page("/dashboard", cookie);
  return { workspace, cookie, signOut: actionIn(text, "Sign out") };
};

/** The owner of two workspaces, whose page has the form that switches between them. */
const ownerOfTwo = async () => {
  const [one, two] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
  await join(one, two);
  const cookie = await signIn(one.owner);
  const { text } = await page("/dashboard", cookie);
  return { one, two, cookie, switchTo: actionIn(text, "Switch to") };
};

const join = (one: TestWorkspace, two: TestWorkspace) =>
  onRows(
    (sql) => sql`
      insert into members (workspace_id, user_id, role)
      select ${two.workspaceId}, id, 'member' from users where email = ${one.owner.email}`,
  );

describe("200", () => {
  test("a page's own call signs out, in a body of up to 256 KB", async () => {
    const { cookie, signOut } = await signedIn();
    const headers = { Cookie: cookie, "Next-Action": signOut, "Content-Type": "text/plain" };
    const answer = await postPage("/dashboard", `[${" ".repeat(MAX_BYTES - 2)}]`, headers);
    expect(answer.headers.get("x-action-redirect"), answer.text).toBe("/sign-in;push");
    expect(answer.headers.get("set-cookie")).toContain("next-auth.session-token=;");
  });
});

describe("303", () => {
  test("a page of ours signs out, whatever Host a proxy in front has written", async () => {
    for (const Host of [new URL(ORIGIN).host, "inner.test:3000"]) {
      const { cookie, signOut } = await signedIn();
      const answer = await postAction(signOut, { headers: { Cookie: cookie, Host, "Sec-Fetch-Site": "same-origin" } });
      expect([answer.status, answer.headers.get("location")], answer.text).toEqual([303, "/sign-in"]);
      expect(answer.headers.get("set-cookie")).toContain("next-auth.session-token=;");
    }
  });

  test("switching takes effect on the next page, and back again", async () => {
    const { one, two, cookie, switchTo } = await ownerOfTwo();
    for (const { workspaceId, phoneNumberId } of [two, one]) {
      const answer = await postAction(switchTo, { fields: { workspaceId }, headers: { Cookie: cookie } });
      expect([answer.status, answer.headers.get("location")], answer.text).toEqual([303, "/dashboard"]);
      const chosen = `${cookie}; workspace=${workspaceId}`;
      expect((await page(`/dashboard/phone-numbers/${phoneNumberId}`, chosen)).status).toBe(200);
    }
  });

  test("without a session it leads to the sign-in page", async () => {
    const { one, switchTo } = await ownerOfTwo();
    const answer = await postAction(switchTo, { fields: { workspaceId: one.workspaceId } });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/sign-in"]);
  });
});

describe("403", () => {
  const refused: Record<string, Record<string, string>> = {
    "no Origin": { Origin: "" },
    "the Origin null": { Origin: "null" },
    "a foreign Origin": { Origin: "https://evil.test" },
    "a foreign Origin with its Host": { Origin: "http://evil.test", Host: "evil.test" },
    "a foreign Origin with its X-Forwarded-Host": { Origin: "http://evil.test", "X-Forwarded-Host": "evil.test" },
    "a foreign Origin with its Forwarded": { Origin: "http://evil.test", Forwarded: "host=evil.test" },
    "our name on another port": { Origin: "http://localhost:1" },
    "our name with https": { Origin: ORIGIN.replace("http:", "https:") },
    "our address by number": { Origin: `http://127.0.0.1:${PORT}`, Host: `127.0.0.1:${PORT}` },
    "a name that begins like ours": { Origin: `${ORIGIN}.evil.test` },
    "a user name like ours": { Origin: `${ORIGIN}@evil.test` },
    "our Origin and a path": { Origin: `${ORIGIN}/dashboard` },
    "two Origins": { Origin: `${ORIGIN}, https://evil.test` },
    "no address at all": { Origin: "::" },
    "a cross-site fetch": { "Sec-Fetch-Site": "cross-site" },
    "a fetch from a neighbouring name": { "Sec-Fetch-Site": "same-site" },
  };

  test.each(Object.keys(refused))("%s: nothing happens, and the session lives on", async (name) => {
    const { cookie, signOut } = await signedIn();
    const headers = { Cookie: cookie, ...refused[name] };
    const calls = [
      await postAction(signOut, { headers }),
      await postPage("/dashboard", "[]", { "Next-Action": signOut, "Content-Type": "text/plain", ...headers }),
      await postPage("/sign-in", "[]", { "Next-Action": signOut, "Content-Type": "text/plain", ...headers }),
    ];
    for (const answer of calls) {
      expectError(answer, { status: 403, error: "FORBIDDEN", details: { retryable: false } });
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(answer.headers.get("location")).toBeNull();
    }
    expect((await page("/dashboard", cookie)).status).toBe(200);
  });
});

describe("404", () => {
  test("another's workspace answers exactly as one that nobody has", async () => {
    const { cookie, switchTo } = await ownerOfTwo();
    const other = await provisionWorkspace();
    const unknownId = `${other.workspaceId.slice(0, -2)}zz`;
    const answer = async (workspaceId: string) => {
      const { status, text } = await postAction(switchTo, { fields: { workspaceId }, headers: { Cookie: cookie } });
      return { status, text: text.replaceAll(workspaceId, "ID").replace(/nonce="[^"]+"|[\w+/]{22}==/g, "") };
    };
    const [theirs, unknown] = [await answer(other.workspaceId), await answer(unknownId)];
    expect(theirs.status).toBe(404);
    expect(theirs).toEqual(unknown);
  });
});

describe("400", () => {
  test.each([
    "}{",
    "",
    "1",
    '{"a":1}',
    '["$F1"]',
    '["$Zx"]',
    '["$h1"]',
    '["$W1"]',
    '["$Q1"]',
    '["$B1"]',
    '[{"then":"$1:__proto__:then"}]',
    '["$1:constructor:constructor"]',
  ])("the arguments %j are not read", async (body) => {
    const { cookie, signOut } = await signedIn();
    const headers = { Cookie: cookie, "Next-Action": signOut };
    const part = `--x\r\nContent-Disposition: form-data; name="0"\r\n\r\n${body}\r\n--x--\r\n`;
    for (const answer of [
      await postPage("/dashboard", body, { ...headers, "Content-Type": "text/plain" }),
      await postPage("/dashboard", part, { ...headers, "Content-Type": "multipart/form-data; boundary=x" }),
    ]) {
      expect([answer.status, answer.body.error], answer.text).toEqual([400, "VALIDATION_ERROR"]);
    }
  });

  test.each(["multipart/form-data", "multipart/form-data; boundary=x"])("the form %s is not read", async (type) => {
    const { cookie } = await signedIn();
    const answer = await postPage("/dashboard", "junk", { Cookie: cookie, "Content-Type": type });
    expect([answer.status, answer.body.error], answer.text).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("an action that does not exist, and leaves one line in the log", async () => {
    const { cookie } = await signedIn();
    const { baseUrl, logFile, stop } = await startInstance({ APP_URL: ORIGIN });
    for (const id of ["zz", "7f".padEnd(42, "0")]) {
      const headers = { Cookie: cookie, "Next-Action": id, "Content-Type": "text/plain", Origin: ORIGIN };
      const answer = await request("POST", `${baseUrl}/dashboard`, { body: "[]", headers });
      expect([400, 404, 409]).toContain(answer.status);
    }
    await stop();
    const lines = readFileSync(logFile, "utf8").split("\n");
    expect(lines.filter((line) => line.includes("action.unknown"))).toHaveLength(2);
    expect(lines.filter((line) => /Server Action|Server Reference|^\s+at /.test(line))).toEqual([]);
  });
});

describe("405", () => {
  test.each(["PUT", "PATCH", "DELETE", "OPTIONS"])("%s of a page says what is allowed", async (method) => {
    for (const path of ["/docs", "/dashboard", "/nothing"]) {
      const answer = await rawRequest(testServers().baseUrl, head(`${method} ${path}`));
      expect([answer?.status, answer?.body.error, answer?.headers.get("allow")]).toEqual([
        405,
        "METHOD_NOT_ALLOWED",
        "GET, HEAD, POST",
      ]);
    }
  });
});

describe("413", () => {
  const TOO_LARGE = { status: 413, error: "PAYLOAD_TOO_LARGE", details: { maxBytes: MAX_BYTES, retryable: false } };

  test("a body beyond 256 KB is not read, with a session or without, announced or not", async () => {
    const { cookie, signOut } = await signedIn();
    const body = `[${" ".repeat(MAX_BYTES - 1)}]`;
    const headers = { "Next-Action": signOut, "Content-Type": "text/plain" };
    for (const Cookie of [cookie, ""]) {
      expectError(await postPage("/dashboard", body, { ...headers, Cookie }), TOO_LARGE);
    }
    const chunked = { Host: new URL(ORIGIN).host, Origin: ORIGIN, Cookie: cookie, "Transfer-Encoding": "chunked" };
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const answer = await rawRequest(
      testServers().baseUrl,
      `${head("POST /dashboard", { ...headers, ...chunked })}${chunk}`,
    );
    expectError(answer ?? expect.fail("no answer"), TOO_LARGE);
    expect((await page("/dashboard", cookie)).status).toBe(200);
  });
});
