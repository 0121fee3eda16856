import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionIn, builtActions, MULTIPART, multipart, postAction, postPage } from "../../support/actions";
import { startInstance, testServers } from "../../support/environment";
import { head, rawRequest } from "../../support/raw-http";
import { sql } from "../../support/rows";
import { expectError } from "../../support/sends";
import { readAt, signIn } from "../../support/session";
import { provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const ORIGIN = testServers().environment.APP_URL ?? "";
const PORT = new URL(ORIGIN).port;
const MAX_BYTES = 262_144;

/** A server whose log is this file's alone: whatever a stranger posts, it says nothing of a fault of ours. */
let instance: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  instance = await startInstance({ APP_URL: ORIGIN });
});
afterAll(async () => {
  await instance.stop();
  expect(logLines().filter((line) => /"level":"error"|^\s+at |Error\b|⨯/.test(line))).toEqual([]);
});
const logLines = () => readFileSync(instance.logFile, "utf8").split("\n");

const signedIn = async () => {
  const workspace = await provisionWorkspace();
  const cookie = await signIn(workspace.owner);
  const { text } = await readAt("/dashboard", cookie);
  return { workspace, cookie, signOut: actionIn(text, "Sign out") };
};

/** One for everything that is refused and so leaves it as it was. */
const refusedSession = () => {
  shared ??= signedIn();
  return shared;
};
let shared: ReturnType<typeof signedIn> | undefined;

/** The owner of two workspaces, whose page has the form that switches between them. */
const ownerOfTwo = async () => {
  const [one, two] = await Promise.all([provisionWorkspace(), provisionWorkspace()]);
  await join(one, two);
  const cookie = await signIn(one.owner);
  const { text } = await readAt("/dashboard", cookie);
  return { one, two, cookie, switchTo: actionIn(text, "Switch to") };
};

const join = (one: TestWorkspace, two: TestWorkspace) => sql`
  insert into members (workspace_id, user_id, role)
  select ${two.workspaceId}, id, 'member' from users where email = ${one.owner.email}`;

describe("200", () => {
  test("a page's own call signs out, in a body of up to 256 KB", async () => {
    const { cookie, signOut } = await signedIn();
    const headers = { Cookie: cookie, "Next-Action": signOut, "Content-Type": MULTIPART };
    const call = (padding: number) => multipart([["0", `["$K1"${" ".repeat(padding)}]`]]);
    const answer = await postPage("/dashboard", call(MAX_BYTES - call(0).length), headers);
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
      expect((await readAt(`/dashboard/phone-numbers/${phoneNumberId}`, chosen)).status).toBe(200);
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
    "our Origin in capitals": { Origin: ORIGIN.toUpperCase() },
    "a cross-site fetch": { "Sec-Fetch-Site": "cross-site" },
    "a fetch from a neighbouring name": { "Sec-Fetch-Site": "same-site" },
  };

  test.each(Object.keys(refused))("%s: nothing happens, and the session lives on", async (name) => {
    const { cookie, signOut } = await refusedSession();
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
    expect((await readAt("/dashboard", cookie)).status).toBe(200);
  });
});

describe("404", () => {
  test("another's workspace answers exactly as one that no one has", async () => {
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
  test("an action that does not exist, and leaves one line in the log", async () => {
    const { cookie } = await refusedSession();
    for (const id of ["zz", "7f".padEnd(42, "0")]) {
      const headers = { Cookie: cookie, "Next-Action": id, "Content-Type": MULTIPART, Origin: ORIGIN };
      const body = multipart([["0", '["$K1"]']]);
      const answer = await request("POST", `${instance.baseUrl}/dashboard`, { body, headers });
      expect([400, 404, 409]).toContain(answer.status);
    }
    // The first is no id that any build gives, and does not get as far.
    await expect.poll(() => logLines().filter((line) => line.includes("action.unknown"))).toHaveLength(1);
    expect(logLines().filter((line) => /Server Action|Server Reference|^\s+at /.test(line))).toEqual([]);
  });
});

/** What no page of ours sends to an action, as text and as the field of a form that holds the arguments. */
const NO_CALLS = [
  ...["", "}{", "[", '["$Zx"]', '["$W1"]', '["$1:constructor:constructor"]', "null", "1", '"$K1"', "{}", "[]"],
  ...["[null]", "[null,{}]", "[{}]", '["a"]', "[null,null,null]", '["$K1",null]', '[null,null,"$K1"]', '[null,"$K"]'],
  ...['[null,"$Kx"]', '[null,["$K1"]]', '["$undefined"]', '["$1","$K1"]', '["$@1","$K1"]', '["$T","$K1"]'],
  ...['["$Q1","$K1"]', '["$F1","$K1"]', '["$B1","$K1"]', '["$R1","$K1"]', '["$n9","$K1"]', '["$h1","$K1"]'],
  ...['[{"then":"$K1"},"$1"]'],
  '[{"a":"$1:__proto__:then"},"$K1"]',
  JSON.stringify(Array(1_200).fill(null)),
  `[${"[".repeat(40)}${"]".repeat(40)},"$K1"]`,
  `[${"[".repeat(9_000)}${"]".repeat(9_000)},"$K1"]`,
  `[${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)},"$K1"]`,
];

/** Forms before a page's script runs, that name an action in a way that no page of ours does. */
const noForms = (id: string): [string, string][][] => {
  const bound = `{"id":"${id}","bound":"$@1"}`;
  return [
    [],
    [["a", "b"]],
    [["$ACTION_ID_", ""]],
    [["$ACTION_ID_zz", ""]],
    [["$ACTION_ID_toString", ""]],
    [
      [`$ACTION_ID_${id}`, ""],
      [`$ACTION_ID_${id}`, ""],
    ],
    [["$ACTION_REF_1", ""]],
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", bound],
    ],
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", `{"id":"${id}","bound":null}`],
    ],
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", `{"id":"${id}","bound":"$@2"}`],
      ["$ACTION_1:1", "[null]"],
    ],
    [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", `{"id":{},"bound":"$@1"}`],
      ["$ACTION_1:1", "[null]"],
    ],
    ...["", "null", "{}", '["$1"]', '["$F1"]', '["$@1"]', "[null,null]"].map((state): [string, string][] => [
      ["$ACTION_REF_1", ""],
      ["$ACTION_1:0", bound],
      ["$ACTION_1:1", state],
    ]),
    [
      ["$ACTION_REF_é", ""],
      ["$ACTION_é:0", bound],
      ["$ACTION_é:1", '["$F1"]'],
    ],
    [
      ["$ACTION_KEY", "k1"],
      ["$ACTION_REF_1", ""],
      ["$ACTION_REF_2", ""],
      ["$ACTION_1:0", bound],
      ["$ACTION_1:1", "[null]"],
    ],
  ];
};

/** Bodies that begin like a form, and that two parsers may read in two ways. */
const NO_BODIES = [
  "junk",
  "--x--",
  multipart([["0", '["$K1"]']]).slice(0, -4),
  multipart([
    ["0", '["$K1"]'],
    ["0", "[]"],
  ]),
  multipart([["0", '["$K1"]']]).replace('name="0"', 'name="0"; filename="a"'),
  multipart([["0", '["$K1"]']]).replace('name="0"', 'name="0"\r\nContent-Transfer-Encoding: base64'),
  multipart([
    ["_1_a", "x"],
    ["0", '["$K1"]'],
  ]).replace('"_1_a"', '"_1_a"; filename="a"\r\nContent-Transfer-Encoding: base64'),
  multipart([["0", '["$K1"]']]).replace('name="0"', "name=0"),
  `preamble\r\n${multipart([["0", '["$K1"]']])}`,
  `${multipart([["0", '["$K1"]']])}epilogue`,
];

/** What the forms of our pages hold, each of a kind. */
const FIELDS = `
  name email password current workspaceName token label accessToken phone rows role phoneNumberId
  whatsappPhoneNumberId whatsappBusinessAccountId contactId templateId keyId userId messageId eventId invitationId
  days mode draft sessions theme shortcuts limit confirm timeZone retentionDays overlap endpointId deliveryId url
  stopWords startWords events lastHours id plan monthlyLimit permissions phoneNumberIds templateNames ipRanges monthlyCap expiresAt`
  .trim()
  .split(/\s+/);

describe("every action of the build", () => {
  let visitors: string[];
  let workspace: TestWorkspace;
  const names = Object.keys(builtActions());
  const idOf = (name: string) => builtActions()[name] ?? expect.fail(name);

  beforeAll(async () => {
    workspace = await provisionWorkspace();
    visitors = ["", await signIn(workspace.owner)];
  });
  const post = async (body: string, headers: Record<string, string>, path = "/dashboard") =>
    (await request("POST", `${instance.baseUrl}${path}`, { body, headers: { Origin: ORIGIN, ...headers } })).status;

  const everyShape = async (id: string, cookie: string) => {
    const call = { "Next-Action": id, cookie };
    for (const body of NO_CALLS) {
      const shown = body.slice(0, 99);
      expect(await post(body, { ...call, "Content-Type": "text/plain" }), shown).toBe(400);
      expect(await post(multipart([["0", body]]), { ...call, "Content-Type": MULTIPART }), shown).toBe(400);
    }
    for (const body of NO_BODIES) expect(await post(body, { ...call, "Content-Type": MULTIPART }), body).toBe(400);
    for (const fields of noForms(id)) {
      expect(await post(multipart(fields), { cookie, "Content-Type": MULTIPART }), JSON.stringify(fields)).toBe(400);
    }
  };

  test("a call that no page makes is 400, with a session and without", async () => {
    const [stranger = "", owner = ""] = visitors;
    await everyShape(idOf("app/sign-up/actions.ts#signUp"), stranger);
    await everyShape(idOf("app/dashboard/actions.ts#switchWorkspace"), owner);
  });

  test("an action that its page passes on is taken with an offer of another protocol, too", async () => {
    const body = multipart([["0", '[null,"$K1"]']]);
    const more = { Connection: "Upgrade", Upgrade: "h2c", "Content-Length": `${body.length}` };
    const headers = { Origin: ORIGIN, "Next-Action": idOf("app/sign-up/actions.ts#signUp"), "Content-Type": MULTIPART };
    const answer = await rawRequest(instance.baseUrl, `${head("POST /docs", { ...headers, ...more })}${body}`);
    expect(answer?.status).toBe(200);
    expect(answer?.text).not.toBe("");
  });

  test.each(names)(
    "%s: without a form it is 400; with an empty one, or nonsense in each field, no fault",
    async (name) => {
      const call = { "Next-Action": idOf(name) };
      for (const [body, type] of [
        ["[]", "text/plain"],
        ["[null]", "application/json"],
        ["[null,{}]", ""],
      ] as const) {
        expect(await post(body, { ...call, "Content-Type": type }), body).toBe(400);
      }
      // One of its own: the action may end the session.
      for (const cookie of ["", await signIn(workspace.owner)]) {
        const own: [string, string] = ["_1_workspaceId", workspace.workspaceId];
        const filled = (value: string) => [own, ...FIELDS.map((field): [string, string] => [`_1_${field}`, value])];
        const [zeros, marks] = [filled("\0"), [...filled("[]"), ...filled("💥")]];
        for (const given of cookie ? [[], [own, own], zeros, marks] : [[], zeros]) {
          const list = given.length > 2 ? '[{"ok":false,"issues":{"a":"$undefined"}},"$K1"]' : '["$K1"]';
          const body = multipart([...given, ["0", list]]);
          expect(await post(body, { ...call, cookie, "Content-Type": MULTIPART }), body).toBeLessThan(500);
        }
      }
    },
  );
});

describe("a POST to any kind of path", () => {
  const PATHS = `
    / /docs /docs/ /sign-in /sign-up /dashboard /dashboard/nothing /no-such-page /docs/errors/x /invite/x /API/x
    /samples/ /samples/chair.png /samples/x /%73amples/x /samples/../samples/x /icon.svg /icon.svgx /iconxsvg
    /icon%2esvg /favicon.ico /favicon.icoo /og.png /.well-known/x /openapi.json /openapi.jsonp /llms.txt /llms.txts
    /docs/client.ts /docs/search-index.json /docs.md /docs/x.md /docs/x.mdx /markdown/docs
    /_next /_next/static/x.js /_next/data/x/docs.json /_next/image`
    .trim()
    .split(/\s+/);
  const EACH_KIND = new Set(["/docs", "/dashboard", "/samples/chair.png"]);
  const ORIGINS = ["https://evil.test", "null", "::", "", `${ORIGIN}, ${ORIGIN}`, ORIGIN];
  const action = builtActions()["app/sign-up/actions.ts#signUp"] ?? "";
  const BODIES: [string, Record<string, string>][] = [
    ["[", { "Next-Action": action, "Content-Type": "text/plain" }],
    ["[]", { "Next-Action": action }],
    ["[]", { "Next-Action": "", "Content-Type": "text/plain" }],
    [multipart([["a", "b"]]), { "Content-Type": MULTIPART }],
    [multipart([[`$ACTION_ID_${action.slice(1)}0`, ""]]), { "Content-Type": MULTIPART, "Next-Action": "x" }],
    ["a=b", { "Content-Type": "application/x-www-form-urlencoded" }],
    ["a=b", { "Content-Type": "application/x-www-form-urlencoded", "Next-Action": action }],
    ["{}", { "Content-Type": "application/json" }],
    ["x", {}],
    ["", {}],
  ];

  test("is a 4xx from any Origin that no page acts from, and with any body that no page sends", async () => {
    const answers: string[] = [];
    for (const [at, path] of PATHS.entries()) {
      // Every origin with every body on a path of each kind; on the others each of them once.
      const isOfEach = EACH_KIND.has(path);
      for (const [from, Origin] of ORIGINS.entries()) {
        for (const [of, [body, headers]] of BODIES.entries()) {
          if (!isOfEach && (at + from) % ORIGINS.length !== of % ORIGINS.length) continue;
          const all = { ...headers, ...(Origin ? { Origin } : {}), "Content-Length": `${Buffer.byteLength(body)}` };
          const answer = await rawRequest(instance.baseUrl, `${head(`POST ${path}`, all)}${body}`);
          const status = answer?.status ?? 0;
          if (status < 400 || status >= 500)
            answers.push(`${status} ${path} ${Origin} ${JSON.stringify(headers)} ${body}`);
        }
      }
    }
    expect(answers).toEqual([]);
  });
});

describe("405", () => {
  const FILES = ["/samples/chair.png", "/samples/x", "/icon.svg", "/openapi.json", "/docs.md", "/docs/x.md"];
  const MORE_FILES = ["/_next/static/x", "/docs/client.ts", "/llms.txt", "/favicon.ico/", "/markdown/x"];

  test.each([
    ["a file", ["POST", "PUT", "DELETE"], [...FILES, ...MORE_FILES], "GET, HEAD"],
    [
      "a page",
      ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"],
      ["/docs", "/dashboard", "/nothing"],
      "GET, HEAD, POST",
    ],
  ])("any other method of %s says what is allowed", async (_, methods, paths, allow) => {
    for (const line of methods.flatMap((method) => paths.map((path) => `${method} ${path}`))) {
      const answer = await rawRequest(testServers().baseUrl, head(line));
      const said = [answer?.status, answer?.body.error, answer?.headers.get("allow")];
      expect(said, line).toEqual([405, "METHOD_NOT_ALLOWED", allow]);
    }
  });
});

describe("413", () => {
  const TOO_LARGE = { status: 413, error: "PAYLOAD_TOO_LARGE", details: { maxBytes: MAX_BYTES, retryable: false } };

  test("a body beyond 256 KB is not read, with a session or without, announced or not", async () => {
    const { cookie, signOut } = await refusedSession();
    const body = `[${" ".repeat(MAX_BYTES - 1)}]`;
    const headers = { "Next-Action": signOut, "Content-Type": "text/plain" };
    for (const Cookie of [cookie, ""]) {
      expectError(await postPage("/dashboard", body, { ...headers, Cookie }), TOO_LARGE);
    }
    const chunked = { Host: new URL(ORIGIN).host, Origin: ORIGIN, Cookie: cookie, "Transfer-Encoding": "chunked" };
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const bytes = `${head("POST /dashboard", { ...headers, ...chunked })}${chunk}`;
    const answer = await rawRequest(testServers().baseUrl, bytes);
    expectError(answer ?? expect.fail("no answer"), TOO_LARGE);
    expect((await readAt("/dashboard", cookie)).status).toBe(200);
  });
});
