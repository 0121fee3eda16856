import { beforeAll, describe, expect, test } from "vitest";
import { testServers } from "../../support/environment";
import { keyIdOf } from "../../support/rows";
import { signIn } from "../../support/session";
import { provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const TEMPLATE = {
  id: "5900010001",
  name: "order_ready",
  language: "en_US",
  status: "APPROVED",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Your order is ready." }],
};

const MODES = ["live", "test"] as const;
const workspaces = new Map<string, TestWorkspace>();

beforeAll(async () => {
  for (const mode of MODES) workspaces.set(mode, await provisionWorkspace({ mode, templates: [TEMPLATE] }));
});

const workspaceOf = (mode: string): TestWorkspace => {
  const workspace = workspaces.get(mode);
  if (!workspace) throw new Error("no workspace");
  return workspace;
};

const PAGES: Record<string, (workspace: TestWorkspace) => Promise<string>> = {
  "a template": async ({ templates }) => `/dashboard/templates/${templates["order_ready/en_US"]}`,
  "a key": async (workspace) => `/dashboard/settings/api-keys/${await keyIdOf(workspace)}`,
  "the requests, before the first": async () => "/dashboard/requests",
};

/** Whom the calls on a page send to, each once. */
const recipientsOn = async (page: string, mode: string) => {
  const workspace = workspaceOf(mode);
  const cookie = await signIn(workspace.owner);
  const path = await PAGES[page]?.(workspace);
  const { status, text } = await request("GET", `${testServers().baseUrl}${path}?mode=${mode}`, {
    headers: { cookie },
  });
  expect(status).toBe(200);
  const code = /<figure[\s\S]*?<\/figure>/.exec(text)?.[0].replaceAll("&quot;", '"') ?? "";
  return [...code.matchAll(/"phone": ?"([^"]*)"/g)].map(([, phone]) => phone);
};

describe.each(Object.keys(PAGES))("the call shown on the page of %s", (page) => {
  test("names a number of the sandbox in test mode, and no one in live mode", async () => {
    expect(await recipientsOn(page, "test")).toEqual(["447700900003"]);
    expect(await recipientsOn(page, "live")).toEqual(["YOUR_OWN_NUMBER"]);
  });
});
