import type { Filter } from "@/app/_components/list-filters";
import { messageStatus, messageType } from "@/db/schema/messages";
import { listKeys } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { sentenceCase } from "@/lib/core/text";
import type { LogView } from "@/lib/messages/log-view";
import { listPhoneNumbers } from "@/lib/phone-numbers/queries";
import { listNames } from "@/lib/templates/queries";
import { can } from "@/lib/workspaces/roles";

/** What the list can be narrowed to. Keys belong to owners and admins; for members they do not exist. */
export async function filterFields(member: Member, { filters, mode }: LogView): Promise<Filter[]> {
  const seesKeys = can(member.role, "seeApiKeys");
  const [lines, templates, keys] = await Promise.all([
    listPhoneNumbers(member.workspaceId),
    listNames(member.workspaceId, mode),
    seesKeys ? listKeys(member.workspaceId) : [],
  ]);
  const choice = (name: keyof typeof filters, label: string, options: NonNullable<Filter["options"]>): Filter => ({
    name,
    label,
    value: filters[name],
    // What a link asks for stays visible, also when the line or template has gone since.
    options: withChosen(options, filters[name]),
  });
  return [
    choice("status", "Status", words(messageStatus.enumValues)),
    choice("type", "Type", words(messageType.enumValues)),
    choice(
      "line",
      "Line",
      lines.filter((line) => line.mode === mode).map(({ id, label }) => ({ value: id, word: label })),
    ),
    choice(
      "template",
      "Template",
      templates.map((name) => ({ value: name, word: name })),
    ),
    ...(seesKeys
      ? [
          choice(
            "key",
            "Key",
            keys.filter((key) => key.mode === mode).map(({ id, label }) => ({ value: id, word: label })),
          ),
        ]
      : []),
    { name: "recipient", label: "Recipient", value: filters.recipient },
    { name: "code", label: "Platform’s error code", value: filters.code },
    { name: "from", label: "From", value: filters.from, type: "date" },
    { name: "to", label: "To", value: filters.to, type: "date" },
  ];
}

const words = (values: readonly string[]) => values.map((value) => ({ value, word: sentenceCase(value) }));

const withChosen = (options: NonNullable<Filter["options"]>, chosen: string | undefined) =>
  chosen === undefined || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, word: chosen }];
