import { isRecord } from "@/lib/core/json";
import { readPhone } from "@/lib/core/phone";

type Item = Record<string, unknown>;
type KeyOf = (item: Item) => string | undefined;

/** What must be unique within its list; the text goes between the second item's path and the first's. */
const UNIQUE: Record<string, [words: string, keyOf: KeyOf][]> = {
  members: [["has the same email as", (item) => textOf(item.email)?.trim().toLowerCase()]],
  phoneNumbers: [
    ["has the same ref as", (item) => textOf(item.ref)?.trim()],
    ["has the same whatsappPhoneNumberId and mode as", (item) => joined(item.mode, item.whatsappPhoneNumberId)],
    ["is the default line of its mode, and so is", (item) => (item.isDefault === true ? textOf(item.mode) : undefined)],
  ],
  templates: [
    [
      "has the same mode, business account, name and language as",
      ({ mode, whatsappBusinessAccountId, template }) =>
        isRecord(template) ? joined(mode, whatsappBusinessAccountId, template.name, template.language) : undefined,
    ],
  ],
  contacts: [
    ["has the same ref as", (item) => textOf(item.ref)?.trim()],
    ["has the same phone as", (item) => canonicalPhone(item.phone)],
  ],
  apiKeys: [["has the same ref as", (item) => textOf(item.ref)?.trim()]],
};

/** Returns all duplicates. Reads unvalidated input, so that one run reports these faults with all others. */
export function duplicateFaults(content: unknown): string[] {
  const workspaces = isRecord(content) ? itemsOf(content.workspaces) : [];
  const inLists = workspaces.flatMap(({ place, item }) =>
    Object.entries(UNIQUE).flatMap(([name, rules]) => {
      const items = itemsOf(item[name], `${place}.${name}`);
      return rules.flatMap(([words, keyOf]) => repeated(items, words, keyOf));
    }),
  );
  return [
    ...repeated(workspaces, "has the same ref as", (item) => textOf(item.ref)?.trim()),
    ...inLists,
    ...twoPasswords(workspaces),
  ];
}

type Placed = { place: string; item: Item };

const repeated = (items: Placed[], words: string, keyOf: KeyOf): string[] => {
  const firstPlaces = new Map<string, string>();
  return items.flatMap(({ place, item }) => {
    const key = keyOf(item);
    if (key === undefined) return [];
    const first = firstPlaces.get(key);
    if (first !== undefined) return [`${place} ${words} ${first}.`];
    firstPlaces.set(key, place);
    return [];
  });
};

/** Returns conflicting passwords: a person has one password for all workspaces. */
const twoPasswords = (workspaces: Placed[]): string[] => {
  const known = new Map<string, { place: string; password: string }>();
  const members = workspaces.flatMap(({ place, item }) => itemsOf(item.members, `${place}.members`));
  return members.flatMap(({ place, item }) => {
    const email = textOf(item.email)?.trim().toLowerCase();
    const password = textOf(item.password);
    if (email === undefined || password === undefined) return [];
    const first = known.get(email);
    if (first && first.password !== password) return [`${place} gives ${email} another password than ${first.place}.`];
    known.set(email, { place, password });
    return [];
  });
};

const itemsOf = (value: unknown, place = "workspaces"): Placed[] =>
  Array.isArray(value)
    ? value.flatMap((item: unknown, index) => (isRecord(item) ? [{ place: `${place}[${index}]`, item }] : []))
    : [];

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

const joined = (...parts: unknown[]) =>
  parts.every((part) => typeof part === "string") ? JSON.stringify(parts) : undefined;

const canonicalPhone = (value: unknown) => {
  const reading = typeof value === "string" ? readPhone(value) : undefined;
  return reading && "phone" in reading ? reading.phone : undefined;
};
