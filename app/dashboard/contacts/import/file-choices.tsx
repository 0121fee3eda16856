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
/** What the other phone columns are for. */
const EMPTY = ["Where it is empty", "Where both are empty", "Where all are empty"];
/** With other bytes or cells its columns are others, so they are proposed again. */
const PROPOSED: Choices = {
  hasHeading: undefined,
  phone: undefined,
  otherPhones: undefined,
  names: undefined,
  country: undefined,
  bare: undefined,
};

/** How a file is read: proposed from what is in it, chosen by its owner. */
export function FileChoices(props: Props) {
  return (
    <section aria-label="How it is read" className="grid gap-4 sm:grid-cols-2">
      <PhoneChoices {...props} />
      <CountryChoice {...props} />
      <NameChoices {...props} />
      <BareChoice {...props} />
      <FormChoices {...props} />
      <ConsentChoice {...props} />
    </section>
  );
}

function optionsOf(columns: readonly Column[]) {
  return columns.map(({ index, heading, samples }) => ({
    value: `${index}`,
    word: [heading, samples.map((sample) => shorten(sample, 24)).join(", ")].filter(Boolean).join(": "),
  }));
}

function orNone(columns: readonly Column[]) {
  return [{ value: NONE, word: "None" }, ...optionsOf(columns)];
}

function PhoneChoices({ contacts: { columns, phone, otherPhones }, onChoose }: Props) {
  const otherPhonesWith = (at: number, value: string) => [
    ...otherPhones.slice(0, at),
    ...(value === NONE ? [] : [Number(value)]),
    ...otherPhones.slice(at + 1),
  ];
  return (
    <>
      <Select
        label="Phone column"
        name="phone"
        value={`${phone}`}
        options={optionsOf(columns)}
        onText={(value) => onChoose({ phone: Number(value), otherPhones: [], bare: undefined })}
        hint={<Samples of={columns[phone]} />}
      />
      {EMPTY.slice(0, columns.length > 1 ? otherPhones.length + 1 : 0).map((label, at) => (
        <Select
          key={label}
          label={label}
          name={`phone-${at + 2}`}
          value={`${otherPhones[at] ?? NONE}`}
          options={orNone(columns)}
          onText={(value) => onChoose({ phone, otherPhones: otherPhonesWith(at, value) })}
          hint={otherPhones[at] === undefined ? "Another phone column." : <Samples of={columns[otherPhones[at]]} />}
        />
      ))}
    </>
  );
}

function CountryChoice({ contacts: { columns, country, countries: ofRows }, countries, onChoose }: Props) {
  const named = ofRows.map((index) => columns[index]?.heading).join(", ");
  return (
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
      hint={[
        country
          ? "For numbers without a country code, such as 0151 2345678."
          : "Choose it if the file has numbers without a country code, such as 0151 2345678.",
        ...(named ? [`A row’s own goes before it: ${named}.`] : []),
      ].join(" ")}
    />
  );
}

function NameChoices({ contacts: { columns, names }, onChoose }: Props) {
  const [first, second] = names;
  const chooseNames = (...given: (string | number | undefined)[]) =>
    onChoose({ names: given.filter((one) => one !== undefined && one !== NONE).map(Number) });
  return (
    <>
      <Select
        label="Name column"
        name="name"
        value={`${first ?? NONE}`}
        options={orNone(columns)}
        onText={(value) => chooseNames(value, second)}
        hint={<Samples of={columns[first ?? -1]} />}
      />
      <Select
        label="Last name column"
        name="last-name"
        value={`${second ?? NONE}`}
        options={orNone(columns)}
        onText={(value) => chooseNames(first, value)}
        hint={second === undefined ? "If it has a column of its own." : <Samples of={columns[second]} />}
      />
    </>
  );
}

function BareChoice({ contacts: { bare, sample }, onChoose }: Props) {
  if (!sample) return null;
  return (
    <Select
      label={`Numbers such as ${sample.given}`}
      name="bare"
      value={bare ?? NONE}
      options={[
        ...(bare ? [] : [{ value: NONE, word: "Choose…" }]),
        { value: "international", word: `+${sample.international}, with their country code` },
        { value: "national", word: `+${sample.national}, of ${countryName(sample.country)}` },
      ]}
      onText={(value) => onChoose({ bare: value === "national" ? "national" : "international" })}
      hint={
        bare
          ? "They have no + and may be either."
          : "They have no + and may be either. They are left out until you choose."
      }
    />
  );
}

function ConsentChoice({ contacts: { refused, leavesOutRefused }, onChoose }: Props) {
  if (![...refused.values()].some((rows) => rows > 0)) return null;
  return (
    <Select
      label="Who does not accept marketing"
      name="refused"
      value={leavesOutRefused ? "out" : "in"}
      options={[
        { value: "in", word: "Import them, too" },
        { value: "out", word: "Leave them out" },
      ]}
      onText={(value) => onChoose({ leavesOutRefused: value === "out" })}
      hint="As the file says it."
    />
  );
}

/** What the file is made of. */
function FormChoices({ contacts: { columns, hasHeading, encoding, separator }, onChoose }: Props) {
  return (
    <>
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
        value={columns.length > 1 ? separator : NONE}
        options={[
          ...(columns.length > 1 ? [] : [{ value: NONE, word: "None: one column" }]),
          ...Object.entries({ [separator]: separator, ...SEPARATORS }).map(([value, word]) => ({ value, word })),
        ]}
        onText={(value) => onChoose({ ...PROPOSED, separator: value })}
      />
    </>
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
