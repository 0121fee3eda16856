const PATHS = {
  video: "M2 4h8.5v8H2zM10.5 7 14 5v6l-3.5-2",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  account: "M8 8.25a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.75 14a5.25 5.25 0 0 1 10.5 0",
  alert: "M8 4.5v4M8 11.25v.25M8 1.75 14.5 13.5h-13z",
  arrowLeft: "M13 8H3M7 4 3 8l4 4",
  arrowRight: "M3 8h10M9 4l4 4-4 4",
  audit: "M5.5 2.5h5v2h-5zM5.5 3.5H3V14h10V3.5h-2.5M5.5 8h5M5.5 11h3",
  check: "m3 8.5 3.25 3.25L13 5",
  checks: "m1 8.5 3.25 3.25L11 5M8.25 11.75 15 5",
  bell: "M3.5 11.5h9l-1.25-2V7a3.25 3.25 0 0 0-6.5 0v2.5zM6.75 13.75h2.5",
  chevron: "m4.5 6.5 3.5 3.5 3.5-3.5",
  clock: "M8 4.5V8l2.25 1.5M14.25 8A6.25 6.25 0 1 1 1.75 8a6.25 6.25 0 0 1 12.5 0Z",
  contacts:
    "M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM1.75 13a4.25 4.25 0 0 1 8.5 0M10.5 3.25a2.25 2.25 0 0 1 0 4M12 9.25A4.25 4.25 0 0 1 14.25 13",
  cross: "m4 4 8 8M12 4l-8 8",
  docs: "M3 2.5h7.5A2.5 2.5 0 0 1 13 5v8.5H5.25A2.25 2.25 0 0 1 3 11.25zM3 11.25A2.25 2.25 0 0 1 5.25 9H13",
  download: "M8 2v8M4.5 6.75 8 10.25l3.5-3.5M2.5 13.5h11",
  external: "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9v4.5h-9v-9H7",
  eye: "M1.5 8S4 3.75 8 3.75 14.5 8 14.5 8 12 12.25 8 12.25 1.5 8 1.5 8ZM9.75 8a1.75 1.75 0 1 1-3.5 0 1.75 1.75 0 0 1 3.5 0Z",
  feed: "M3.5 12.5h.01M3 8a5 5 0 0 1 5 5M3 3a10 10 0 0 1 10 10",
  help: "M14.25 8A6.25 6.25 0 1 1 1.75 8a6.25 6.25 0 0 1 12.5 0ZM6.25 6.25a1.75 1.75 0 1 1 2.4 1.6c-.4.2-.65.5-.65 1v.15M8 11.25v.25",
  info: "M14.25 8A6.25 6.25 0 1 1 1.75 8a6.25 6.25 0 0 1 12.5 0ZM8 7.25v4M8 4.75v.25",
  image: "M2 3h12v10H2zM2 11l3.5-3.5L9 11l2-2 3 3M10.75 6.25h.01",
  key: "M9 7l4.5-4.5M11.5 4.5l1.75 1.75M9.25 9.75a3.25 3.25 0 1 1-6.5 0 3.25 3.25 0 0 1 6.5 0Z",
  phone:
    "M5.5 2.5 7 5.75 5.25 7a7 7 0 0 0 3.75 3.75L10.25 9l3.25 1.5v2.25c0 .7-.6 1.25-1.3 1.2A11 11 0 0 1 2.05 3.8 1.2 1.2 0 0 1 3.25 2.5z",
  reply: "M6.5 3.5 2.5 7.5l4 4M2.5 7.5H10a3.5 3.5 0 0 1 3.5 3.5v1.5",
  line: "M5 1.75h6a1 1 0 0 1 1 1v10.5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V2.75a1 1 0 0 1 1-1ZM7 11.75h2",
  menu: "M2 4.5h12M2 8h12M2 11.5h12",
  message: "M2 3h12v8.5H7L4 14v-2.5H2z",
  overview: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  pause: "M5.5 3v10M10.5 3v10",
  plan: "M1.75 13.5h12.5M3.5 13.5V9M6.5 13.5V5.5M9.5 13.5V7.5M12.5 13.5V2.5",
  plus: "M8 3v10M3 8h10",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9L13.5 5.5M13.5 2v3.5H10",
  requests: "M2 4h8M2 8h12M2 12h6M12.5 2.5 14 4l-1.5 1.5",
  search: "M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0ZM10 10l3.5 3.5",
  send: "M14 2 7 9M14 2 9.5 14 7 9 2 6.5z",
  settings:
    "M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 6.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM5 13.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Z",
  signOut: "M6.5 2.5H3v11h3.5M10 5l3 3-3 3M13 8H6",
  start: "M5 2.5v11l8-5.5z",
  template: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11H8",
  upload: "M8 10.5v-8M4.5 5.75 8 2.25l3.5 3.5M2.5 13.5h11",
  usage: "M2 13.5 6 9l3 2.5 5-7M10.5 4.5H14V8",
  webhook: "M6.5 6.5a2.5 2.5 0 1 1 3.4.6l2.35 4.15M4.75 12.5A2.5 2.5 0 1 1 3.4 8.15M7.5 11.5h4.75M9 4.75 6 10",
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
