import type { ComponentProps } from "react";
import { Icon, type IconName } from "./icon";
import { Link } from "./link";

type Look = "primary" | "secondary" | "danger" | "quietDanger";
type Size = "normal" | "small";
type Shared = { look?: Look | undefined; size?: Size | undefined; icon?: IconName };

export function Button({ look, size, icon, className, children, ...rest }: ComponentProps<"button"> & Shared) {
  return (
    <button type="button" {...rest} className={classes({ look, size }, className)}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

export function ButtonLink({ look, icon, children, ...rest }: ComponentProps<typeof Link> & Omit<Shared, "size">) {
  return (
    <Link {...rest} className={classes({ look })}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </Link>
  );
}

type CsvProps = { href: string; size?: Size; word?: string; label?: string };

/** Downloads a list as it is filtered. `label` tells it from others of the same page, and begins with its word. */
export function CsvLink({ href, size = "small", word = "CSV", label }: CsvProps) {
  return (
    <a href={href} download aria-label={label} className={classes({ look: "secondary", size })}>
      <Icon name="download" />
      {word}
    </a>
  );
}

const classes = ({ look = "primary", size = "normal" }: Omit<Shared, "icon">, more = ""): string =>
  `${SHAPE} ${SIZES[size]} ${LOOKS[look]} ${more}`;

const SHAPE =
  "inline-flex items-center justify-center rounded-control border font-medium transition-opacity duration-100 motion-reduce:transition-none hover:opacity-90 disabled:cursor-default disabled:opacity-60 aria-disabled:cursor-default aria-disabled:opacity-60 pointer-coarse:min-h-11";

const SIZES: Record<Size, string> = {
  normal: "min-h-9 gap-2 px-4 py-1",
  small: "min-h-7 gap-1.5 px-2.5 text-sm pointer-coarse:px-3",
};

const LOOKS: Record<Look, string> = {
  primary: "border-accent bg-accent text-on-accent",
  secondary: "border-control bg-page text-ink",
  danger: "border-danger bg-danger text-on-danger",
  quietDanger: "border-control bg-page text-danger",
};
