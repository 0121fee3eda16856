"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { Icon, type IconName } from "@/app/_components/icon";
import { MENU_ID } from "./menu-button";

type Entry = { href: string; icon: IconName; word: string };

export function NavLinks({ seesApiKeys }: { seesApiKeys: boolean }) {
  return (
    <nav aria-label="Dashboard" className="grid gap-4">
      <Group entries={WORK} />
      {seesApiKeys ? <Group heading="Settings" entries={SETTINGS} /> : null}
      <Group heading="Help" entries={HELP} />
    </nav>
  );
}

function Group({ heading, entries }: { heading?: string; entries: Entry[] }) {
  const pathname = usePathname();
  return (
    <div>
      {heading ? <p className="px-2 pb-1 text-xs font-medium text-muted">{heading}</p> : null}
      <ul className="grid gap-0.5">
        {entries.map(({ href, icon, word }) => (
          <li key={href}>
            <Link
              href={href}
              onClick={closeMenu}
              aria-current={pathname === href ? "page" : undefined}
              data-inside={isInside(pathname, href)}
              className="flex min-h-9 items-center gap-2.5 rounded-control px-2 text-muted hover:bg-hairline/50 hover:text-ink data-[inside=true]:bg-hairline/60 data-[inside=true]:font-medium data-[inside=true]:text-ink pointer-coarse:min-h-11"
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

const WORK: Entry[] = [
  { href: "/dashboard", icon: "overview", word: "Overview" },
  { href: "/dashboard/messages", icon: "message", word: "Messages" },
  { href: "/dashboard/templates", icon: "template", word: "Templates" },
  { href: "/dashboard/phone-numbers", icon: "line", word: "Lines" },
];
const SETTINGS: Entry[] = [{ href: "/dashboard/settings/api-keys", icon: "key", word: "API keys" }];
const HELP: Entry[] = [{ href: "/docs", icon: "docs", word: "Docs" }];

const isInside = (pathname: string, href: string): boolean =>
  pathname === href || (href !== "/dashboard" && pathname.startsWith(`${href}/`));

/** The layout outlives a navigation, and with it an open drawer. */
const closeMenu = () => {
  const menu = document.getElementById(MENU_ID);
  if (menu?.matches(":popover-open")) menu.hidePopover();
};
