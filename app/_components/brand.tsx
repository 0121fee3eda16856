import { Link } from "./link";

type Props = {
  href?: "/" | "/dashboard";
  /** On a narrow screen the mark stands alone. */
  isShort?: boolean;
};

export function Brand({ href = "/", isShort = false }: Props) {
  return (
    <Link
      href={href}
      className="inline-flex items-center gap-2 rounded-control py-1 text-lg font-semibold tracking-tight"
    >
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <g className="fill-none stroke-on-accent" strokeWidth={2.5} strokeLinecap="round">
          <circle cx="10" cy="10" r="3.25" />
          <circle cx="22" cy="22" r="3.25" />
          <path d="M10 13.25C10 20 22 12 22 18.75" />
        </g>
        <g className="fill-on-accent" opacity={0.55}>
          <circle cx="22" cy="10" r="2" />
          <circle cx="10" cy="22" r="2" />
        </g>
      </svg>
      <span className={isShort ? "sr-only sm:not-sr-only" : ""}>Switchboard</span>
    </Link>
  );
}
