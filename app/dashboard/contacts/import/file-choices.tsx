import { Select } from "@/app/_components/form";
import type { Choices, ContactFile } from "@/lib/contacts/contact-file";
import type { Column } from "@/lib/contacts/file-columns";
import type { CallingCode } from "@/lib/contacts/file-phone";
import { countryName } from "@/lib/core/country-name";
import { shorten } from "@/lib/core/text";
import { ENCODINGS, type Encoding } from "@/lib/core/text-file";

type Props = { contacts: ContactFile; countries: readonly CallingCode[]; onChoose: (choices: Choices) => void };

const SEPARATORS = { ",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar" };
const NONE = "-";
/** With other bytes or cells its columns are others, so they are proposed again. */
const PROPOSED: Choices = { hasHeading: undefined, phone: undefined, names: undefined, bare: undefined };

/** How a file is read: proposed from what is in it, chosen by its owner. */
export function FileChoices({ contacts, countries, onChoose }: Props) {
  const { columns, phone, names, hasHeading, country, bare, encoding, separator } = contacts;
  const [first, second] = names;
  const options = columns.map(({ index, heading, samples }) => ({
    value: `${index}`,
    word: [heading, samples.map((sample) => shorten(sample, 24)).join(", ")].filter(Boolean).join(": "),
  }));
  const orNone = [{ value: NONE, word: "None" }, ...options];
  const chooseNames = (...given: (string | number | undefined)[]) =>
    onChoose({ names: given.filter((one) => one !== undefined && one !== NONE).map(Number) });
  return (
    <section aria-label="How it is read" className="grid gap-4 sm:grid-cols-2">
      <Select
        label="Phone column"
        name="phone"
        value={`${phone}`}
        options={options}
        onText={(value) => onChoose({ phone: Number(value), bare: undefined })}
        hint={<Samples of={columns[phone]} />}
      />
      <Select
        label="Country of national numbers"
        name="country"
        value={country ?? NONE}
        options={[
          { value: NONE, word: "None: leave them out" },
          ...countries.map(({ country, code }) => ({ value: country, word: `${countryName(country)} (+${code})` })),
        ]}
        onText={(value) =>
          onChoose({ country: countries.find((one) => one.country === value)?.country ?? null, bare: undefined })
        }
        hint="For numbers without a country code, such as 0151 2345678."
      />
      <Select
        label="Name column"
        name="name"
        value={`${first ?? NONE}`}
        options={orNone}
        onText={(value) => chooseNames(value, second)}
        hint={<Samples of={columns[first ?? -1]} />}
      />
      <Select
        label="Last name column"
        name="last-name"
        value={`${second ?? NONE}`}
        options={orNone}
        onText={(value) => chooseNames(first, value)}
        hint={second === undefined ? "If it has a column of its own." : <Samples of={columns[second]} />}
      />
      {country ? (
        <Select
          label="Numbers without + or 0"
          name="bare"
          value={bare ?? NONE}
          options={[
            ...(bare ? [] : [{ value: NONE, word: "Choose…" }]),
            { value: "international", word: "Begin with their country code" },
            { value: "national", word: `Are of ${countryName(country)}` },
          ]}
          onText={(value) => onChoose({ bare: value === "national" ? "national" : "international" })}
          hint={
            bare ? "Where the digits alone could be both." : "Some could be both. They are left out until you choose."
          }
        />
      ) : null}
      <Select
        label="First row"
        name="heading"
        value={hasHeading ? "heading" : "contact"}
        options={[
          { value: "heading", word: "Headings" },
          { value: "contact", word: "A contact" },
        ]}
        onText={(value) => onChoose({ hasHeading: value === "heading" })}
      />
      <Select
        label="Encoding"
        name="encoding"
        value={encoding}
        options={Object.entries(ENCODINGS).map(([value, word]) => ({ value, word }))}
        onText={(value) => onChoose({ ...PROPOSED, encoding: value as Encoding })}
        hint="Choose another if letters are wrong in the preview."
      />
      <Select
        label="Separator"
        name="separator"
        value={separator}
        options={Object.entries({ [separator]: separator, ...SEPARATORS }).map(([value, word]) => ({ value, word }))}
        onText={(value) => onChoose({ ...PROPOSED, separator: value })}
      />
    </section>
  );
}

function Samples({ of: column }: { of: Column | undefined }) {
  if (!column) return null;
  if (column.samples.length === 0) return "This column is empty.";
  return (
    <span className="line-clamp-2 break-words" dir="auto">
      {column.samples.join(" · ")}
    </span>
  );
}
