import { test as base, expect, type Page } from "@playwright/test";
import { testServers } from "../support/environment";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

export { expect };

type Role = "owner" | "admin" | "member";

type Fixtures = {
  /** The test's own: three members, one line, two messages, one approved and one rejected template. */
  workspace: TestWorkspace;
  signIn: (role: Role) => Promise<void>;
  /** Whatever the browser complained about; a test of pages ends with none. */
  complaints: string[];
};

export const test = base.extend<Fixtures, { account: undefined }>({
  /** A deployment without any account shows its set-up in place of the sign-in. */
  account: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
    async ({}, use) => {
      await provisionWorkspace();
      await use(undefined);
    },
    { scope: "worker", auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  baseURL: async ({}, use) => use(testServers().baseUrl),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  workspace: async ({}, use) => use(await furnishedWorkspace()),
  signIn: async ({ page, workspace }, use) =>
    use(async (role) => {
      await submitSignIn(page, workspace[role]);
      await page.waitForURL("**/dashboard");
    }),
  complaints: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await use(complaints);
  },
});

export const submitSignIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
};

export const RECIPIENT = "447700900123";

const furnishedWorkspace = async (): Promise<TestWorkspace> => {
  const workspace = await provisionWorkspace({
    plan: "free",
    templates: [template("order_ready", "APPROVED", "5900010001"), template("spring_sale", "REJECTED", "5900010002")],
  });
  for (const content of ["Your order is ready.", "It waits at the counter."]) {
    await workspace.send({ type: "text", phone: RECIPIENT, content });
  }
  return workspace;
};

const template = (name: string, status: string, id: string) => ({
  id,
  name,
  status,
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Your order is ready." }],
});
