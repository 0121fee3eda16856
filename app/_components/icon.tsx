const PATHS = {
  alert: "M8 4.5v4M8 11.25v.25M8 1.75 14.5 13.5h-13z",
  arrowLeft: "M13 8H3M7 4 3 8l4 4",
  arrowRight: "M3 8h10M9 4l4 4-4 4",
  check: "m3 8.5 3.25 3.25L13 5",
  checks: "m1 8.5 3.25 3.25L11 5M8.25 11.75 15 5",
  chevron: "m4.5 6.5 3.5 3.5 3.5-3.5",
  clock: "M8 4.5V8l2.25 1.5M14.25 8A6.25 6.25 0 1 1 1.75 8a6.25 6.25 0 0 1 12.5 0Z",
  cross: "m4 4 8 8M12 4l-8 8",
  docs: "M3 2.5h7.5A2.5 2.5 0 0 1 13 5v8.5H5.25A2.25 2.25 0 0 1 3 11.25zM3 11.25A2.25 2.25 0 0 1 5.25 9H13",
  eye: "M1.5 8S4 3.75 8 3.75 14.5 8 14.5 8 12 12.25 8 12.25 1.5 8 1.5 8ZM9.75 8a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0Z",
  key: "M9 7l4.5-4.5M11.5 4.5l1.75 1.75M9.25 9.75a3.25 3.25 0 1 1-6.5 0 3.25 3.25 0 0 1 6.5 0Z",
  line: "M5 1.75h6a1 1 0 0 1 1 1v10.5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V2.75a1 1 0 0 1 1-1ZM7 11.75h2",
  menu: "M2 4.5h12M2 8h12M2 11.5h12",
  message: "M2 3h12v8.5H7L4 14v-2.5H2z",
  overview: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  signOut: "M6.5 2.5H3v11h3.5M10 5l3 3-3 3M13 8H6",
  template: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11H8",
} as const;

export type IconName = keyof typeof PATHS;

/** Always beside a word, so it is hidden from assistive technology. */
export function Icon({ name, className = "" }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={`size-4 shrink-0 fill-none stroke-current ${className}`}
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
