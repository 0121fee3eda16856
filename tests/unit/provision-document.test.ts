import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDocument } from "@/lib/operations/document";

const line = {
  ref: "support",
  label: "Support",
  mode: "live",
  displayPhoneNumber: "+44 20 7946 0123",
  whatsappPhoneNumberId: "106500001",
  whatsappBusinessAccountId: "102200001",
  accessToken: "EAAtoken",
};
const template = {
  mode: "live",
  whatsappBusinessAccountId: "102200001",
  template: {
    id: "5900010001",
    name: "order_ready",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ text: "Hi {{1}}", type: "BODY" }],
  },
};
const member = { email: "kim@acme.test", password: "a long sentence", name: "Kim", role: "owner" };
const contact = { ref: "ada", phone: "447700900123", name: "Ada" };
const key = { ref: "server", label: "server", mode: "live" };
const acme = {
  ref: "acme",
  name: "Acme",
  plan: "free",
  timeZone: "Europe/Berlin",
  members: [member],
  phoneNumbers: [{ ...line, isActive: true, isDefault: true }],
  templates: [template],
  contacts: [contact],
  apiKeys: [key],
};

const read = (content: unknown) => {
  const reading = readDocument(content);
  if ("faults" in reading) throw new Error(reading.faults.join("\n"));
  return reading.document;
};
const readWorkspace = (change: Record<string, unknown>) => read({ workspaces: [{ ...acme, ...change }] }).workspaces[0];
const faultsOf = (content: unknown) => {
  const reading = readDocument(content);
  return "faults" in reading ? reading.faults : [];
};
const faultsOfWorkspace = (change: Record<string, unknown>) => faultsOf({ workspaces: [{ ...acme, ...change }] });

describe("a good file", () => {
  test("is read as the documentation shows it", () => {
    expect(read({ workspaces: [acme] })).toEqual({ workspaces: [acme] });
  });

  test("may hold numbers as chats copy them", () => {
    const copied = {
      phoneNumbers: [{ ...line, displayPhoneNumber: "\u202a+44\u00a020 7946\u20110123\u202c" }],
      contacts: [{ ...contact, phone: "\u2066+44 7700\u2011900123\u2069" }],
    };
    const workspace = readWorkspace(copied);
    expect(workspace?.phoneNumbers[0]?.displayPhoneNumber).toBe("+44 20 7946-0123");
    expect(workspace?.contacts).toEqual([contact]);
  });

  test("may leave out every list and every setting that has a default", () => {
    const [workspace] = read({ workspaces: [{ ref: "acme", name: "Acme" }] }).workspaces;
    const lists = { members: [], phoneNumbers: [], templates: [], contacts: [], apiKeys: [] };
    expect(workspace).toEqual({ ref: "acme", name: "Acme", ...lists });
  });

  test("takes a workspace's own days of retention, from 1 to 3650, or null", () => {
    for (const retentionDays of [1, 3_650, null])
      expect(readWorkspace({ retentionDays })).toMatchObject({ retentionDays });
    const refusal = expect.stringMatching(/^workspaces\[0\]\.retentionDays must be /);
    for (const retentionDays of [0, 3_651, 1.5, "30"]) expect(faultsOfWorkspace({ retentionDays })).toEqual([refusal]);
  });

  test("has its addresses and numbers in one spelling afterwards", () => {
    const workspace = readWorkspace({
      members: [{ ...member, email: " Kim@Acme.test " }],
      contacts: [{ ...contact, phone: "+44 (7700) 900-123" }],
    });
    expect(workspace?.members[0]?.email).toBe("kim@acme.test");
    expect(workspace?.contacts[0]?.phone).toBe("447700900123");
  });

  test("keeps a template's components untouched, down to the order of their keys", () => {
    const components = [{ text: "Hi", type: "BODY", zebra: 1, apple: 2 }];
    const workspace = readWorkspace({ templates: [{ ...template, template: { ...template.template, components } }] });
    expect(JSON.stringify(workspace?.templates[0]?.template.components)).toBe(JSON.stringify(components));
  });

  test("takes a template record with everything that WhatsApp may list beside what we use", () => {
    const listed = { ...template.template, id: 5900010001, sub_category: "CUSTOM", quality_score: { score: "GREEN" } };
    expect(faultsOfWorkspace({ templates: [{ ...template, template: listed }] })).toEqual([]);
  });

  test("takes the same platform number in two workspaces, and the same ref in two modes of a template", () => {
    const other = { ...acme, ref: "other", members: [member] };
    expect(faultsOf({ workspaces: [acme, other] })).toEqual([]);
    expect(faultsOfWorkspace({ templates: [template, { ...template, mode: "test" }] })).toEqual([]);
  });
});

describe("a bad file", () => {
  test("gets one sentence for each fault, with its place, all at once", () => {
    const workspace = {
      ref: "acme",
      plan: "gold",
      timeZone: "Mars/Olympus",
      members: [{ email: "kim", role: "boss" }],
      phoneNumbers: [{ ...line, accessToken: "", whatsappPhoneNumberId: "1 2" }],
      contacts: [{ ref: "ada", phone: "0170 1234567" }],
      apiKeys: {},
    };
    expect(faultsOf({ workspaces: [workspace] })).toEqual([
      "workspaces[0].name is required.",
      'workspaces[0].plan must be one of free, starter, growth, unlimited, not "gold".',
      'workspaces[0].timeZone must be a time zone such as Europe/Berlin, not "Mars/Olympus".',
      'workspaces[0].members[0].email must be an email address, not "kim".',
      'workspaces[0].members[0].role must be one of owner, admin, member, not "boss".',
      "workspaces[0].phoneNumbers[0].whatsappPhoneNumberId must be 1 to 64 letters, digits, _ or -.",
      "workspaces[0].phoneNumbers[0].accessToken must not be empty.",
      expect.stringMatching(/^workspaces\[0\]\.contacts\[0\]\.phone is not a phone number: .+\.$/),
      "workspaces[0].apiKeys must be an array, not an object.",
    ]);
  });

  test.each([
    ["workspaces[0].colour", { colour: "red" }],
    ["workspaces[0].members[0].nickname", { members: [{ ...member, nickname: "K" }] }],
    ["workspaces[0].phoneNumbers[0].token", { phoneNumbers: [{ ...line, token: "EAA" }] }],
    ["workspaces[0].templates[0].name", { templates: [{ ...template, name: "order_ready" }] }],
    ["workspaces[0].contacts[0].email", { contacts: [{ ...contact, email: "ada@acme.test" }] }],
    ["workspaces[0].apiKeys[0].secret", { apiKeys: [{ ...key, secret: "sk_live_1" }] }],
  ])("is the issue of the unknown field %s", (place, change) => {
    expect(faultsOfWorkspace(change)).toEqual([`${place} is not a field of this file.`]);
  });

  test.each([
    ["email", "members", [member, { ...member, email: "KIM@acme.test" }]],
    ["ref", "phoneNumbers", [line, { ...line, whatsappPhoneNumberId: "106500002" }]],
    ["whatsappPhoneNumberId and mode", "phoneNumbers", [line, { ...line, ref: "sales" }]],
    ["mode, business account, name and language", "templates", [template, template]],
    ["ref", "contacts", [contact, { ...contact, phone: "447700900124" }]],
    ["phone", "contacts", [contact, { ...contact, ref: "bob", phone: "+44 7700 900123" }]],
    ["ref", "apiKeys", [key, key]],
  ])("is reported of the same %s twice in %s", (what, list, items) => {
    expect(faultsOfWorkspace({ [list]: items })).toEqual([
      `workspaces[0].${list}[1] has the same ${what} as workspaces[0].${list}[0].`,
    ]);
  });

  test("is reported of a ref that two workspaces have", () => {
    expect(faultsOf({ workspaces: [acme, acme] })).toEqual(["workspaces[1] has the same ref as workspaces[0]."]);
  });

  test("is reported of two default lines of one mode", () => {
    const lines = [
      { ...line, isDefault: true },
      { ...line, ref: "sales", whatsappPhoneNumberId: "106500002", isDefault: true },
    ];
    expect(faultsOfWorkspace({ phoneNumbers: lines })).toEqual([
      "workspaces[0].phoneNumbers[1] is the default line of its mode, and so is workspaces[0].phoneNumbers[0].",
    ]);
  });

  test("is reported of one person with two passwords", () => {
    const other = { ...acme, ref: "other", members: [{ ...member, password: "another sentence" }] };
    expect(faultsOf({ workspaces: [acme, other] })).toEqual([
      "workspaces[1].members[0] gives kim@acme.test another password than workspaces[0].members[0].",
    ]);
  });

  test("never has a secret of its own in the sentences", () => {
    const sentences = faultsOfWorkspace({
      members: [{ ...member, password: 12345678901 }],
      phoneNumbers: [{ ...line, accessToken: ["EAAtoken"] }],
    }).join(" ");
    expect(sentences).toContain("password must be a string, not a number.");
    expect(sentences).not.toMatch(/12345678901|EAAtoken/);
  });

  test("of whatever JSON it is gets sentences, never a crash", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (content) => {
        for (const fault of faultsOf({ workspaces: [content, { ...acme, members: content, templates: [content] }] })) {
          expect(fault).toMatch(/^workspaces.+\.$/);
        }
        expect(() => readDocument(content)).not.toThrow();
      }),
    );
  });
});
