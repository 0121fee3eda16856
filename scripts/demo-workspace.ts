import { authenticate, type Credentials } from "@/lib/api-keys/authenticate";
import { Deadline } from "@/lib/core/deadline";
import { findNamedMessage } from "@/lib/messages/queries";
import { readDocument } from "@/lib/operations/document";
import { FIXTURE_BUSINESS_ACCOUNT_ID, fixturesOf } from "@/lib/sandbox/fixture-templates";
import { provisionDocument } from "./provision-document";

/** A sandbox test number whose messages are delivered, then read. */
export const DEMO_PHONE = "447700900003";

/** The idempotency key of the demo's first message, so that it is sent only once. */
export const FIRST_MESSAGE_KEY = "demo-first-message";

const PROVEN_WITHIN_MS = 5_000;

export type DemoWorkspace = {
  workspaceId: string;
  phoneNumberId: string;
  contactId: string;
  apiKey: string;
  /** Null if the key was created by an earlier run. */
  apiSecret: string | null;
};

type Owner = { email: string; password: string };

type DemoMeans = { keyRef: string; baseUrl: string; lineToken: string };

/** Creates or updates the demo's workspace, and makes the key `keyRef` unless it is there. */
export async function provisionDemoWorkspace(owner: Owner, means: DemoMeans): Promise<DemoWorkspace> {
  const reading = readDocument(demoDocument(owner, means));
  if ("faults" in reading) throw new Error(`The demo's own document is not valid: ${reading.faults.join(" ")}`);
  const { workspaces } = await provisionDocument(reading.document);
  const workspace = workspaces[0];
  const phoneNumberId = workspace?.phoneNumbers.test;
  const contactId = workspace?.contacts.ada;
  const key = workspace?.apiKeys[means.keyRef];
  if (!workspace || !phoneNumberId || !contactId || !key) throw new Error("The demo's workspace was not provisioned.");
  return { workspaceId: workspace.id, phoneNumberId, contactId, ...key };
}

/** Finds the first message; undefined if the credentials are invalid, without an id if there is no message. */
export async function findFirstMessage(credentials: Credentials): Promise<{ messageId?: string } | undefined> {
  const holder = await authenticate(credentials, { deadline: Deadline.in(PROVEN_WITHIN_MS) });
  if (!holder) return undefined;
  const message = await findNamedMessage(holder.workspaceId, holder.mode, { idempotencyKey: FIRST_MESSAGE_KEY });
  return message ? { messageId: message.id } : {};
}

const demoDocument = ({ email, password }: Owner, { keyRef, baseUrl, lineToken }: DemoMeans) => ({
  workspaces: [
    {
      ref: "demo",
      name: "Demo",
      plan: "free",
      members: [{ email, password, name: "Demo Owner", role: "owner" }],
      phoneNumbers: [
        {
          ref: "test",
          label: "Test line",
          mode: "test",
          displayPhoneNumber: "+44 7700 900000",
          whatsappPhoneNumberId: "200000000000001",
          whatsappBusinessAccountId: FIXTURE_BUSINESS_ACCOUNT_ID,
          // Some token prefixes have a special meaning in the sandbox.
          accessToken: `sandbox-${lineToken}`,
          isDefault: true,
        },
      ],
      templates: fixturesOf(baseUrl).map((template) => ({
        mode: "test",
        whatsappBusinessAccountId: FIXTURE_BUSINESS_ACCOUNT_ID,
        template,
      })),
      contacts: [{ ref: "ada", phone: DEMO_PHONE, name: "Ada Lovelace" }],
      apiKeys: [{ ref: keyRef, label: "Demo", mode: "test" }],
    },
  ],
});
