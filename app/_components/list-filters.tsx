"use client";

import Form from "next/form";
import type { ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { withQuery } from "@/lib/core/query-string";
import { Button } from "./button";
import { CONTROL } from "./form";
import { Icon } from "./icon";
import { Link, Progress, useTabMode } from "./link";
import type { Filter } from "./options";

type Values = Record<string, string | undefined>;

type Props = {
  /** The list's own address. */
  path: string;
  /** A field for the parameter `q`. */
  search?: { label: string; placeholder: string };
  /** By the parameter that each sets. */
  filters?: Record<string, Filter>;
  /** Those in the address, which are the ones shown. */
  values: Values;
  /** Parameters that other parts of the page set, and that stay. */
  kept?: Record<string, string>;
  children?: ReactNode;
};

type NamedFilter = Filter & { name: string; value: string | undefined };

/** A list's filters. They live in the address, so that a list can be shared, reloaded and gone back to. */
export function ListFilters({ path, search, filters = {}, values, kept = {}, children }: Props) {
  const mode = useTabMode();
  const all = Object.entries(filters).map(([name, filter]) => ({ ...filter, name, value: values[name] }));
  const set = all.filter(isSet);
  const q = search ? values.q : undefined;
  const fields = all.map((filter) => <FilterField key={`${filter.name} ${filter.value}`} {...filter} />);
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
                key={q}
                defaultValue={q}
                placeholder={search.placeholder}
                className={CONTROL}
              />
            </div>
            <Button icon="search" type="submit" look="secondary">
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
        {search && all.length > 0 ? (
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
      <Chips path={path} set={q ? [{ name: "q", label: "Search", value: q }, ...set] : set} kept={kept} />
    </section>
  );
}

function FilterProgress() {
  return useFormStatus().pending ? <Progress /> : null;
}

const isSet = ({ value, standard }: NamedFilter): boolean => Boolean(value) && value !== standard;

function FilterField({ name, label, value, options, standard, type = "text" }: NamedFilter) {
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

function Chips({ path, set, kept }: { path: string; set: NamedFilter[]; kept: Record<string, string> }) {
  if (set.length === 0) return null;
  const without = (gone: string) => {
    const left = set.flatMap(({ name, value }) => (name === gone ? [] : [[name, value]]));
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
            {label}: {options?.find((option) => option.value === value)?.word ?? inWords(value ?? "")}
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
