import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { endpointWithDelivery } from "../support/endpoint-rows";
import { testServers } from "../support/environment";
import type { Shown } from "../support/pages";
import { requestRows } from "../support/request-rows";
import { keyIdOf, sql } from "../support/rows";
import { signIn as openSession } from "../support/session";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

export { expect };

type Role = "owner" | "admin" | "member";

type Fixtures = {
  /** The test's own: three members, one line, two messages, one approved and one rejected template. */
  workspace: TestWorkspace;
  /** Goes to a page with a session that was opened without the form, which has tests of its own. */
  signIn: (role: Role, path?: string) => Promise<void>;
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
    use((role, path = "/dashboard") => openSignedIn(page, workspace[role], path)),
  complaints: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      const isComplaint = message.type() === "error" || message.type() === "warning";
      if (isComplaint) complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await use(complaints);
  },
});

/** Goes to a page as a person, with a session that was opened without the form. */
export const openSignedIn = async (page: Page, person: { email: string }, path = "/dashboard"): Promise<void> => {
  await page.context().addCookies(cookiesIn(await openSession(person), testServers().baseUrl));
  await page.goto(path);
};

/** What is chosen before a page's script has run is not applied; the script names the tab's mode in the address. */
export const scriptHasRun = (page: Page): Promise<void> => page.waitForURL(/[?&]mode=/);

const cookiesIn = (header: string, url: string) =>
  header.split("; ").map((cookie) => {
    const [name = "", ...value] = cookie.split("=");
    return { name, value: value.join("="), url };
  });

/** Whether the page is at an address, whatever mode its tab is in. */
export const inAnyMode =
  (address: string) =>
  (url: URL): boolean =>
    withoutMode(url) === withoutMode(new URL(address, url));

const withoutMode = ({ href }: URL): string => {
  const url = new URL(href);
  url.searchParams.delete("mode");
  url.searchParams.sort();
  return url.href;
};

/** What the detail pages of a furnished workspace are shown for. */
export const shownOf = async (workspace: TestWorkspace): Promise<Shown> => {
  const [request] = await requestRows(workspace, 2);
  const [message] = await sql<{ id: string; contact: string }[]>`
      select id, contact_id as contact from messages where workspace_id = ${workspace.workspaceId} limit 1`;
  return {
    messageId: message?.id ?? "",
    requestId: request?.id ?? "",
    phoneNumberId: workspace.phoneNumberId,
    templateId: Object.values(workspace.templates)[0] ?? "",
    contactId: message?.contact ?? "",
    keyId: await keyIdOf(workspace),
    ...(await endpointWithDelivery(workspace, { mode: "live", messageId: message?.id ?? "" })),
  };
};

/** Alike in number, each with some of the beginning and some of the end. */
export const inParts = <Item>(items: readonly Item[], parts: number): Item[][] =>
  Array.from({ length: parts }, (_, part) => items.filter((_, at) => at % parts === part));

/** The field of the command menu. */
export const menuField = (page: Page) => page.getByRole("combobox", { name: "Page, name, id or phone" });

/** A key that is pressed before the page's script has loaded does nothing. */
export const openMenu = (page: Page) =>
  expect(async () => {
    await page.keyboard.press("ControlOrMeta+k");
    await expect(menuField(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();

/** As a paste does it: the whole text at once. */
export const paste = (page: Page, text: string) => page.keyboard.insertText(text);

export const submitSignIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
};

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The rules to check, where not all of them are meant, and the part of a page whose rest has been looked at elsewhere. */
type AxeScope = { rules?: readonly string[]; within?: string };

/** What axe finds on the page as it stands. */
export const accessibilityFaults = async (page: Page, { rules, within }: AxeScope = {}): Promise<string[]> => {
  // Without frames there is nothing to gather from them, for which axe would open a page of its own each time.
  expect(page.frames()).toHaveLength(1);
  // What passes is not described: on a long page that takes longer than to find it.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
  if (within) axe.include(within);
  const result = await (rules ? axe.withRules([...rules]) : axe.withTags(WCAG)).analyze();
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
};

/** What axe finds in both colour schemes, which differ in nothing but colours. */
export const accessibilityFaultsInBothSchemes = async (page: Page, within?: string): Promise<string[]> => {
  const scope = within === undefined ? {} : { within };
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await accessibilityFaults(page, { ...scope, rules: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  return [...inDark.map((fault) => `dark: ${fault}`), ...(await accessibilityFaults(page, scope))];
};

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** What lies over a page. */
export const OPEN_DIALOG = "dialog[open]";

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
