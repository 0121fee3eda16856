import type { KeyLimits, Permission } from "@/lib/core/principal";
import { formatNumber, listSome } from "@/lib/core/text";

const DOES: Record<Permission, string> = { send: "sends", status: "reads statuses", templates: "lists templates" };

type Named = {
  /** Of lines, by their ids. */
  labels: ReadonlyMap<string, string>;
  /** The last day on which the key works. */
  until: string | undefined;
};

/** Describes what a key is limited to in one sentence; undefined if it has all rights and no expiry. */
export function limitsInWords(limits: KeyLimits, { labels, until }: Named): string | undefined {
  const { permissions, phoneNumberIds, templateNames, ipRanges, monthlyCap } = limits;
  const what = permissions ? `${together(permissions.map((permission) => DOES[permission]))} only` : "every call";
  const parts = [
    phoneNumberIds && `through ${listSome(phoneNumberIds.map((id) => labels.get(id) ?? "a disconnected line"))}`,
    templateNames && `templates ${listSome(templateNames)} and no other message`,
    ipRanges && `from ${listSome(ipRanges)}`,
    monthlyCap !== undefined && `${formatNumber(monthlyCap)} ${monthlyCap === 1 ? "message" : "messages"} a month`,
    until && `until ${until}`,
  ].filter(Boolean);
  if (!permissions && parts.length === 0) return undefined;
  const sentence = [what, ...parts].join(", ");
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

const together = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
