"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState, useTransition } from "react";
import { withQuery } from "@/lib/core/query-string";
import { Button } from "./button";
import { CONTROL } from "./form";
import { Icon } from "./icon";
import { Link, Progress, useAddressInMode, useTabMode } from "./link";
import type { Filter } from "./options";

type Values = Record<string, string | undefined>;

type Props<Shown extends Values> = {
  /** The list's own address. */
  path: string;
  /** A field for the parameter `q`. */
  search?: { label: string; placeholder: string };
  /** By the parameter that each sets; undefined for one that this member may not use. */
  filters: Record<Exclude<keyof Shown, "q">, Filter | undefined>;
  /** Those in the address, which are the ones shown. */
  values: Shown;
  /** Parameters that other parts of the page set, and that stay. */
  kept?: Record<string, string>;
  children?: ReactNode;
};

type NamedFilter = Filter & { name: string; value: string | undefined };

/**
 * A list's filters, in one row: the first choices are in sight, the rest is behind "More". They apply themselves, and live
 * in the address, so that a list can be shared, reloaded and gone back to.
 */
export function ListFilters<const Shown extends Values>(props: Props<Shown>) {
  const { path, search, filters, values, kept = {}, children } = props;
  const mode = useTabMode();
  const { apply, isPending } = useApply(path);
  const [isOpen, setIsOpen] = useState(false);
  const moreId = useId();
  const all = Object.entries<Filter | undefined>(filters).flatMap(([name, filter]) =>
    filter ? [withChosen({ ...filter, name, value: values[name] })] : [],
  );
  const choices = all.filter(({ options }) => options).slice(0, search ? 2 : 3);
  const inSight = all.filter((filter) => filter.isInSight || choices.includes(filter));
  const more = all.filter((filter) => !inSight.includes(filter));
  const q = search ? values.q : undefined;
  const set = all.filter(isSet);
  return (
    <section aria-label="Filters" className="mb-4 grid gap-3">
      <form action={path} onSubmit={apply} className="grid gap-3">
        {mode ? <input type="hidden" name="mode" value={mode} /> : null}
        {Object.entries(kept).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div className="flex flex-wrap items-center gap-2">
          {search ? <SearchField {...search} value={q} /> : <ApplyButton />}
          {inSight.map((filter) =>
            filter.options ? (
              <Choice key={filter.name} {...filter} anyWord={`${filter.label}: any`} isInRow />
            ) : (
              <Typed key={filter.name} {...filter} isInRow />
            ),
          )}
          {more.length > 0 ? (
            <Button
              look="secondary"
              aria-expanded={isOpen}
              aria-controls={moreId}
              onClick={() => setIsOpen(!isOpen)}
              className="noscript:hidden"
            >
              More
              <Icon name="chevron" className={isOpen ? "rotate-180" : ""} />
            </Button>
          ) : null}
          {children}
        </div>
        {more.length > 0 ? (
          <div
            id={moreId}
            className={`gap-3 sm:grid-cols-2 lg:grid-cols-4 noscript:grid ${isOpen ? "grid" : "hidden"}`}
          >
            {more.map((filter) => (
              <div key={filter.name} className="grid min-w-0 gap-1">
                <label htmlFor={`filter-${filter.name}`} className="text-sm text-muted">
                  {filter.label}
                </label>
                {filter.options ? <Choice {...filter} anyWord="Any" /> : <Typed {...filter} />}
              </div>
            ))}
          </div>
        ) : null}
      </form>
      {isPending ? <Progress /> : null}
      {q || set.length > 0 ? (
        <Chips
          removable={more.filter(isSet)}
          without={(gone) =>
            withQuery(path, {
              ...kept,
              q,
              ...Object.fromEntries(set.map(({ name, value }) => [name, value])),
              [gone]: undefined,
            })
          }
          cleared={withQuery(path, kept)}
        />
      ) : null}
    </section>
  );
}

/** A filter from a link stays visible, even if its line or template is gone. */
function withChosen(filter: NamedFilter): NamedFilter {
  const { options, value } = filter;
  const isOffered = !options || !value || options.some((option) => option.value === value);
  return isOffered ? filter : { ...filter, options: [...options, { value, word: value }] };
}

/** Without a script the browser sends the form, with its empty fields. */
function useApply(path: string) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  const [isPending, startTransition] = useTransition();
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = [...new FormData(event.currentTarget)].filter(([name, value]) => value !== "" && name !== "mode");
    startTransition(() => router.push(addressOf(withQuery(path, Object.fromEntries(given) as Values))));
  };
  return { apply, isPending };
}

const isSet = ({ value, standard }: NamedFilter): boolean => Boolean(value) && value !== standard;

function SearchField({ label, placeholder, value }: { label: string; placeholder: string; value: string | undefined }) {
  return (
    <div className="flex min-h-9 min-w-0 grow basis-56 rounded-control border border-control bg-page has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-2 has-[input:focus-visible]:outline-link max-sm:basis-full pointer-coarse:min-h-11">
      <label className="sr-only" htmlFor="q">
        {label}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        ref={useShown<HTMLInputElement>(value)}
        defaultValue={value}
        placeholder={placeholder}
        className="min-w-0 grow pe-3 outline-none pointer-coarse:text-[1rem]"
      />
      <button
        type="submit"
        title="Search"
        className="order-first inline-flex w-9 shrink-0 items-center justify-center rounded-control text-muted hover:text-ink"
      >
        <Icon name="search" />
        <span className="sr-only">Search</span>
      </button>
    </div>
  );
}

/** Sends the form on Enter; in sight only where no script does it earlier. */
function ApplyButton() {
  return (
    <span className="order-last hidden noscript:block">
      <Button type="submit" look="secondary">
        Apply
      </Button>
    </span>
  );
}

const IN_ROW = "w-auto min-w-0 max-sm:min-w-32 max-sm:flex-1 sm:max-w-48";

type ChoiceProps = NamedFilter & { anyWord: string; isInRow?: boolean };

function Choice({ name, label, value, options = [], standard, anyWord, isInRow = false }: ChoiceProps) {
  return (
    <select
      id={`filter-${name}`}
      name={name}
      ref={useShown<HTMLSelectElement>(value ?? standard)}
      defaultValue={value ?? ""}
      aria-label={isInRow ? label : undefined}
      onChange={(event) => event.currentTarget.form?.requestSubmit()}
      className={`${CONTROL} pe-8 ${isInRow ? IN_ROW : ""}`}
    >
      {standard === undefined ? <option value="">{anyWord}</option> : null}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.word}
        </option>
      ))}
    </select>
  );
}

/** Applies on Enter and when it is left: while a date is being typed, its parts are dates already. */
function Typed({ name, label, value = "", type = "text", isInRow = false }: NamedFilter & { isInRow?: boolean }) {
  return (
    <input
      id={`filter-${name}`}
      name={name}
      type={type}
      ref={useShown<HTMLInputElement>(value)}
      defaultValue={value}
      aria-label={isInRow ? label : undefined}
      title={isInRow ? label : undefined}
      onBlur={({ currentTarget, relatedTarget }) => {
        const isSending = relatedTarget instanceof HTMLButtonElement && relatedTarget.type === "submit";
        if (currentTarget.value !== value && !isSending) currentTarget.form?.requestSubmit();
      }}
      className={`${CONTROL} ${isInRow ? IN_ROW : ""}`}
    />
  );
}

/** Keeps a field at what the address says, after Back and after a filter was removed; the focus stays. */
function useShown<Control extends HTMLInputElement | HTMLSelectElement>(value: string | undefined) {
  const control = useRef<Control>(null);
  useEffect(() => {
    if (control.current) control.current.value = value ?? "";
  }, [value]);
  return control;
}

type ChipsProps = { removable: NamedFilter[]; without: (name: string) => string; cleared: string };

/** Filters in use that are behind "More", each with a link that removes it. */
function Chips({ removable, without, cleared }: ChipsProps) {
  return (
    <ul className="flex flex-wrap items-center gap-2">
      {removable.map(({ name, label, value, options }) => (
        <li key={name}>
          <Link
            href={without(name)}
            className="inline-flex min-h-7 items-center gap-1 rounded-full bg-surface px-2.5 text-sm hover:bg-hairline pointer-coarse:min-h-11"
          >
            {label}: {options?.find((option) => option.value === value)?.word ?? readableTime(value ?? "")}
            <Icon name="cross" className="size-3.5" />
            <span className="sr-only">Remove this filter</span>
          </Link>
        </li>
      ))}
      <li>
        <Link href={cleared} className="rounded-sm text-sm text-link hover:underline">
          Clear all
        </Link>
      </li>
    </ul>
  );
}

/** Shows a time as the address has it, `2026-11-24T16:55`, with a space; other values as they are. */
const readableTime = (value: string): string =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(value) ? value.replace("T", " ") : value;
