import { Brand } from "./brand";
import { ButtonLink } from "./button";
import { TextLink } from "./text-link";

/** The bar over the public pages. */
export function SiteHeader({ isWide = false }: { isWide?: boolean }) {
  return (
    <header className="border-b border-hairline">
      <div
        className={`mx-auto flex max-w-[80rem] flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-6 ${isWide ? "2xl:max-w-[96rem]" : ""}`}
      >
        <Brand />
        <nav aria-label="Site" className="flex items-center gap-5">
          <TextLink href="/docs" className="py-1">
            Docs
          </TextLink>
          <ButtonLink href="/dashboard" look="secondary" prefetch={false}>
            Dashboard
          </ButtonLink>
        </nav>
      </div>
    </header>
  );
}
