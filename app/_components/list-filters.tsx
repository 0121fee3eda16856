"use client";

import Form from "next/form";
import type { ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { withQuery } from "@/lib/core/query-string";
import { Button } from "./button";
import { Icon } from "./icon";
import { Link } from "./link";
import { useTabMode } from "./link-mode";
import { Progress } from "./progress";

export type FilterOption = { value: string; word: string };

/** A choice of values; `text` is typed. The value in the address is the value shown. */
export type Filter = {
  name: string;
  label: string;
  value: string | undefined;
  options?: FilterOption[];
  type?: "text" | "date" | "datetime-local";
  /** Of a choice that is always made: what it is where the address says nothing. */
  standard?: string;
};

type Props = {
  /** The list's own address. */
  path: string;
  search?: { value: string | undefined; label: string; placeholder: string };
  filters: Filter[];
  /** Of the address, what is chosen elsewhere on the page and stays. */
  kept?: Record<string, string>;
  children?: ReactNode;
};

/** A list's filters, whose one home is the address: a list can be shared, reloaded and gone back to. */
export function ListFilters({ path, search, filters, kept = {}, children }: Props) {
  const mode = useTabMode();
  const set = filters.filter(isSet);
  const fields = filters.map((filter) => <FilterField key={`${filter.name} ${filter.value}`} {...filter} />);
  return (
    <section aria-label="Filters" className="mb-4 grid gap-3">
      <Form action={path} className="grid gap-3">
        {mode ? <input type="hidden" name="mode" value={mode} /> : null}
        {Object.entries(kept).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {search ? (
          <div className="flex flex-wrap items-end gap-2">
            <div className="min-w-0 grow basis-44">
              <label className="sr-only" htmlFor="q">
                {search.label}
              </label>
              <input
                id="q"
                name="q"
                type="search"
                key={search.value}
                defaultValue={search.value}
                placeholder={search.placeholder}
                className={`${CONTROL} w-full`}
              />
            </div>
            <Button type="submit" look="secondary">
              <Icon name="search" />
              Search
            </Button>
            {children}
          </div>
        ) : (
          <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
            {fields}
            <div className={`flex items-end gap-2 ${children ? "max-sm:col-span-full" : ""}`}>
              <Button type="submit" look="secondary">
                Apply
              </Button>
              {children}
            </div>
          </div>
        )}
        {search && filters.length > 0 ? (
          <details open={set.length > 0} className="group">
            <summary className="inline-flex min-h-8 list-none items-center gap-1 rounded-control text-link [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11">
              <Icon name="chevron" className="-rotate-90 group-open:rotate-0" />
              Filters{set.length > 0 ? ` (${set.length})` : ""}
            </summary>
            <div className="mt-2 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">{fields}</div>
          </details>
        ) : null}
        <FilterProgress />
      </Form>
      {set.length > 0 || search?.value ? <Chips path={path} search={search} filters={set} kept={kept} /> : null}
    </section>
  );
}

function FilterProgress() {
  return useFormStatus().pending ? <Progress /> : null;
}

const isSet = ({ value, standard }: Filter): boolean => Boolean(value) && value !== standard;

function FilterField({ name, label, value, options, standard, type = "text" }: Filter) {
  return (
    // A day's own parts are wider than half a phone.
    <div className={`grid min-w-0 gap-1 ${options || type === "text" ? "" : "max-sm:col-span-full"}`}>
      <label htmlFor={`filter-${name}`} className="text-sm text-muted">
        {label}
      </label>
      {options ? (
        <select
          id={`filter-${name}`}
          name={name}
          defaultValue={value ?? ""}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
          className={CONTROL}
        >
          {standard === undefined ? <option value="">Any</option> : null}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.word}
            </option>
          ))}
        </select>
      ) : (
        <input id={`filter-${name}`} name={name} type={type} defaultValue={value} className={CONTROL} />
      )}
    </div>
  );
}

function Chips({
  path,
  search,
  filters,
  kept,
}: Pick<Props, "path" | "search" | "filters"> & { kept: Record<string, string> }) {
  const all = [...(search ? [{ name: "q", label: "Search", value: search.value }] : []), ...filters];
  const set = all.flatMap(({ name, label, value, ...more }) =>
    value ? [{ name, label, value, options: "options" in more ? more.options : undefined }] : [],
  );
  const without = (gone: string) => {
    const left = set.flatMap(({ name, value }): [string, string][] => (name === gone ? [] : [[name, value]]));
    return withQuery(path, { ...kept, ...Object.fromEntries(left) });
  };
  return (
    <ul className="flex flex-wrap items-center gap-2">
      {set.map(({ name, label, value, options }) => (
        <li key={name}>
          <Link
            href={without(name)}
            className="inline-flex min-h-7 items-center gap-1 rounded-full border border-control px-2.5 text-sm hover:bg-surface pointer-coarse:min-h-11"
          >
            {label}: {options?.find((option) => option.value === value)?.word ?? inWords(value)}
            <Icon name="cross" className="size-3.5" />
            <span className="sr-only">Remove this filter</span>
          </Link>
        </li>
      ))}
      <li>
        <Link href={withQuery(path, kept)} className="rounded-sm text-sm text-link underline underline-offset-2">
          Clear all
        </Link>
      </li>
    </ul>
  );
}

/** A time as an address has it: `2026-11-24T16:55`. */
const inWords = (value: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) ? value.replace("T", " ") : value;

const CONTROL =
  "min-h-9 w-full rounded-control border border-control bg-page px-3 text-lg sm:text-base pointer-coarse:min-h-11";
