type Texts<Whole> = { [Part in keyof Whole]: Whole[Part] extends string ? Part : never }[keyof Whole] & string;

/** Binds fields to the texts of what a page keeps: each has its name, prefixed with `at`, its value, and what a change does. */
export function boundTo<Whole>(whole: Whole, onChange: (whole: Whole) => void, at = "") {
  return <Part extends Texts<Whole>>(part: Part) => ({
    name: `${at}${part}`,
    value: whole[part],
    onText: (text: string) => onChange({ ...whole, [part]: text }),
  });
}
