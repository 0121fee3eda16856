"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { Icon } from "@/app/_components/icon";
import { Link, useTabMode } from "@/app/_components/link";
import type { Role } from "@/db/schema/identity";
import { showsOneMode, switchModeHref } from "@/lib/core/page-mode";
import { entriesFor, GET_STARTED, HELP, MENU_ID, type MenuEntry, SETTINGS, WORK } from "./menu-entries";

export function NavLinks({ role, isSetUp }: { role: Role; isSetUp: boolean }) {
  return (
    <nav aria-label="Dashboard" className="grid gap-3">
      <Group entries={WORK} />
      <Group heading="Settings" entries={entriesFor(role, SETTINGS)} />
      <Group heading="Help" entries={isSetUp ? HELP.filter(({ href }) => href !== GET_STARTED) : HELP} />
    </nav>
  );
}

function Group({ heading, entries }: { heading?: string; entries: MenuEntry[] }) {
  const pathname = usePathname();
  return (
    <div>
      {heading ? <p className="px-2 pb-0.5 text-sm text-muted">{heading}</p> : null}
      <ul className="grid">
        {entries.map(({ href, icon, word }) => (
          <li key={href}>
            <Link
              href={href}
              onClick={closeMenu}
              aria-current={pathname === href ? "page" : undefined}
              data-inside={isInside(pathname, href)}
              className="flex min-h-7.5 items-center gap-2.5 rounded-control px-2 text-muted hover:bg-hairline/50 hover:text-ink data-[inside=true]:bg-hairline/60 data-[inside=true]:font-medium data-[inside=true]:text-ink pointer-coarse:min-h-11"
            >
              <Icon name={icon} />
              {word}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

const HAVE_CHILDREN_IN_THE_MENU = ["/dashboard", "/dashboard/settings"];

const isInside = (pathname: string, href: string): boolean =>
  pathname === href || (!HAVE_CHILDREN_IN_THE_MENU.includes(href) && pathname.startsWith(`${href}/`));

/** The layout outlives a navigation, and with it an open drawer. */
function closeMenu() {
  const menu = document.getElementById(MENU_ID);
  if (menu?.matches(":popover-open")) menu.hidePopover();
}

/** Leads to the same page in the other mode. Absent on pages that the mode changes nothing on. */
export function ModeSwitch() {
  const pathname = usePathname();
  const parameters = useSearchParams();
  const mode = useTabMode();
  if (!showsOneMode(pathname)) return null;
  return (
    <nav aria-label="Mode" className="inline-flex rounded-control border border-control p-0.5">
      {(["test", "live"] as const).map((choice) => (
        <Link
          key={choice}
          href={switchModeHref(choice, pathname, parameters)}
          scroll={false}
          aria-current={choice === mode ? "true" : undefined}
          className="inline-flex min-h-7 items-center rounded-[0.25rem] px-2.5 text-sm text-muted aria-[current=true]:bg-ink aria-[current=true]:font-medium aria-[current=true]:text-page pointer-coarse:min-h-11"
        >
          {choice === "live" ? "Live" : "Test"}
        </Link>
      ))}
    </nav>
  );
}
