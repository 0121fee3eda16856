import { ActionForm, Field, Select, SubmitButton } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import { Card } from "@/app/_components/panels";
import { ALL_COUNTRIES, countryName } from "@/lib/core/country-name";
import { CATEGORIES } from "@/lib/costs/card-layout";
import { ELSEWHERE } from "@/lib/costs/markets";
import { Allowed } from "../../_components/page-frame";
import { savePrice } from "./actions";

/** What a link says that has no price. */
export type Missing = { country?: string | undefined; category?: string | undefined; from: string };

/** One price beside those of the list, such as the one that the costs lack. */
export function AddPrice({ missing, currency }: { missing: Missing; currency: string | undefined }) {
  const { country = "", category = "utility", from } = missing;
  const countries = [...ALL_COUNTRIES].toSorted((one, other) => (countryName(one) < countryName(other) ? -1 : 1));
  const categories = [...new Set([...CATEGORIES, category])];
  return (
    <Card title="Add a price">
      <p className="mb-4 text-muted">
        One price beside the others, which stay as they are. A new list replaces it from the list’s first day on.
      </p>
      <Allowed to="manageCosts">
        <ActionForm action={savePrice} done="Saved.">
          <Select
            key={`country ${country}`}
            label="Country"
            name="country"
            defaultValue={country}
            options={[
              { value: "", word: "Choose a country" },
              ...optionsOf(countries, countryName),
              { value: ELSEWHERE, word: "All other countries" },
            ]}
          />
          <Select
            key={`category ${category}`}
            label="Category"
            name="category"
            defaultValue={category}
            options={optionsOf(categories)}
          />
          <Field label="Price of one message" name="price" inputMode="decimal" hint="Such as 0.0625." />
          <Field
            label="Currency of the price"
            name="currency"
            defaultValue={currency}
            maxLength={3}
            hint="A code such as USD."
          />
          <Field key={from} label="Valid from" name="validFrom" type="date" defaultValue={from} />
          <SubmitButton className="justify-self-start">Add price</SubmitButton>
        </ActionForm>
      </Allowed>
    </Card>
  );
}
