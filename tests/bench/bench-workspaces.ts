import { ORDER, templateRecord } from "../support/template-records";
import { WHATSAPP_LINE } from "./webhook-body";

/** Of every live line of the bench: the sweeper reads its templates from WhatsApp. */
const ACCOUNT = WHATSAPP_LINE.businessAccountId;
const TEMPLATES = 200;

type Member = { email: string; password: string; name: string; role: "owner" };
type Entry = { ref: string; whatsappPhoneNumberId: string; keys?: string[]; templates?: object[]; members?: Member[] };

const entryOf = ({ ref, whatsappPhoneNumberId, keys = ["main"], templates = [], members = [] }: Entry) => ({
  ref,
  name: `Bench ${ref}`,
  members,
  phoneNumbers: [
    {
      ref: "main",
      label: "Main",
      mode: "live",
      displayPhoneNumber: "+44 20 7946 0123",
      whatsappPhoneNumberId,
      whatsappBusinessAccountId: ACCOUNT,
      accessToken: "token",
      isActive: true,
    },
  ],
  templates: templates.map((template) => ({ mode: "live", whatsappBusinessAccountId: ACCOUNT, template })),
  apiKeys: keys.map((key) => ({ ref: key, label: key, mode: "live" })),
});

/** A workspace with one live line and 200 templates, its key, and a second key for refusals. */
export const MEASURED_WORKSPACE = entryOf({
  ref: "bench",
  whatsappPhoneNumberId: WHATSAPP_LINE.phoneNumberId,
  keys: ["main", "refused"],
  templates: [
    ORDER,
    ...Array.from({ length: TEMPLATES - 1 }, (_, index) => templateRecord(`order_${index}`, ORDER.components)),
  ],
});

/** Further workspaces with a line and a key each. */
export const neighbours = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    entryOf({ ref: `neighbour-${index}`, whatsappPhoneNumberId: `${2_000 + index}` }),
  );

/** A workspace to be filled, whose owner can sign in. */
export const workspaceOf = ({ email, password }: { email: string; password: string }) =>
  entryOf({
    ref: "full",
    whatsappPhoneNumberId: "3000",
    templates: [ORDER],
    members: [{ email, password, name: "Olga Owner", role: "owner" }],
  });
