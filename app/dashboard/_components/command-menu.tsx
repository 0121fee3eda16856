"use client";

import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore, useTransition } from "react";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { Progress, TextLink, useAddressInMode, useTabMode } from "@/app/_components/link";
import type { Role } from "@/db/schema/identity";
import type { Theme } from "@/lib/auth/choice-cookies";
import { chooseAppearance } from "../account/actions";
import { signOut, switchWorkspace } from "../actions";
import { type Command, CommandList } from "./command-list";
import { ACTIONS, entriesFor, type MenuEntry } from "./menu-entries";

type Props = {
  workspaceId: string;
  /** The visitor's other workspaces. */
  workspaces: { id: string; name: string }[];
  role: Role;
  hasShortcuts: boolean;
};

/** One field for every page, id and workspace, from the keyboard or the top bar. */
export function CommandMenu({ workspaceId, workspaces, role, hasShortcuts }: Props) {
  const router = useRouter();
  const mode = useTabMode();
  const addressOf = useAddressInMode();
  const [open, setOpen] = useState<"menu" | "help" | null>(null);
  const [isOnTheWay, startTransition] = useTransition();
  const close = () => setOpen(null);
  const openMenu = () => setOpen("menu");
  const openHelp = () => setOpen("help");
  const goTo = (href: string) => startTransition(() => router.push(addressOf(href)));
  const pages = entriesFor(role);
  useShortcuts({ areOn: hasShortcuts, pages, openMenu, openHelp, goTo });

  const commandTo = ({ href, icon, word }: MenuEntry) => ({ icon, word, act: () => goTo(href) });
  const groups: Record<string, Omit<Command, "group">[]> = {
    Pages: pages.map(commandTo),
    Actions: [
      ...entriesFor(role, ACTIONS).map(commandTo),
      ...THEME_COMMANDS.map(({ theme, word }) => ({
        icon: "eye" as const,
        word,
        act: () =>
          startTransition(async () => {
            await chooseAppearance(null, formOf({ theme, shortcuts: hasShortcuts ? "on" : "off" }));
          }),
      })),
      ...(hasShortcuts ? [{ icon: "help" as const, word: "Keyboard shortcuts", act: openHelp, staysOpen: true }] : []),
      { icon: "signOut", word: "Sign out", act: () => startTransition(() => signOut(new FormData())) },
    ],
    Workspaces: workspaces.map(({ id, name }) => ({
      icon: "overview",
      word: `Switch to ${name}`,
      act: () => startTransition(() => switchWorkspace(formOf({ workspaceId: id, mode: mode ?? "" }))),
    })),
  };
  const commands = Object.entries(groups).flatMap(([group, some]) => some.map((command) => ({ group, ...command })));

  return (
    <>
      {isOnTheWay ? <Progress /> : null}
      <button
        type="button"
        onClick={openMenu}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title="Search or jump to…"
        className="inline-flex min-h-9 items-center gap-2 rounded-control border border-control px-2.5 text-muted hover:text-ink pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
      >
        <Icon name="search" />
        <span className="sr-only md:not-sr-only">Search or jump to…</span>
        <KeyHint />
      </button>
      <Dialog title="Search or jump to…" isOpen={open === "menu"} onClose={close}>
        <CommandList
          workspaceId={workspaceId}
          commands={commands}
          onChosen={({ act, staysOpen }) => {
            if (!staysOpen) close();
            act();
          }}
          onFound={(path) => {
            close();
            goTo(path);
          }}
        />
      </Dialog>
      <Dialog title="Keyboard shortcuts" isOpen={open === "help"} onClose={close}>
        <ShortcutHelp pages={pages} />
      </Dialog>
    </>
  );
}

const THEME_COMMANDS: { theme: Theme; word: string }[] = [
  { theme: "dark", word: "Dark theme" },
  { theme: "light", word: "Light theme" },
  { theme: "system", word: "Same theme as the system" },
];

function KeyHint() {
  const isApple = useSyncExternalStore(
    neverChanges,
    () => /Mac|iP/.test(navigator.platform),
    () => false,
  );
  return (
    <span aria-hidden="true" className="hidden rounded-sm border border-hairline px-1 text-sm lg:inline">
      {isApple ? "⌘ K" : "Ctrl K"}
    </span>
  );
}

const neverChanges = () => () => {};

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** The longest pause between the two keys of a shortcut such as `g m`. */
const SECOND_KEY_WITHIN_MS = 1_000;

type Shortcuts = {
  /** If false, only Ctrl+K and ⌘K work. */
  areOn: boolean;
  pages: MenuEntry[];
  openMenu: () => void;
  openHelp: () => void;
  goTo: (href: string) => void;
};

/** ⌘K or Ctrl+K, `/`, `?`, `j` and `k` in a list, and `g` with a letter. None while the user types, or under an open dialog. */
function useShortcuts({ areOn, pages, openMenu, openHelp, goTo }: Shortcuts): void {
  const goPressedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const actionOf = (event: KeyboardEvent): (() => void) | undefined => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
    if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return undefined;
    if ((ctrlKey || metaKey) && !altKey && !shiftKey) return key.toLowerCase() === "k" ? openMenu : undefined;
    if (!areOn || ctrlKey || metaKey || altKey || isWriting(event.target)) return undefined;
    const isSecond = timeStamp - goPressedAtMs.current < SECOND_KEY_WITHIN_MS;
    const page = isSecond ? pages.find((entry) => entry.key === key) : undefined;
    goPressedAtMs.current = key === "g" ? timeStamp : Number.NEGATIVE_INFINITY;
    if (page) return () => goTo(page.href);
    if (key === "?") return openHelp;
    if (key === "j" || key === "k") return () => focusRow(key === "j" ? 1 : -1);
    return key === "/" ? () => focusSearch(openMenu) : undefined;
  };
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const answer = (event: KeyboardEvent) => listen(event);
    document.addEventListener("keydown", answer);
    return () => document.removeEventListener("keydown", answer);
  }, []);
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** The list's own search where the page has one. */
function focusSearch(openMenu: () => void) {
  const search = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (search) search.focus();
  else openMenu();
}

/** The next or the former row of the page's list; from outside of it the first. */
function focusRow(step: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>("main .row-link")];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at === -1 ? 0 : at + step]?.focus();
}

function ShortcutHelp({ pages }: { pages: MenuEntry[] }) {
  const shortcuts = [
    { keys: ["⌘ K", "Ctrl K"], word: "Search, or jump to a page", between: "or" },
    { keys: ["/"], word: "Search this list" },
    { keys: ["j", "k"], word: "Next or former row of a list", between: "or" },
    { keys: ["?"], word: "This list" },
    ...pages.flatMap(({ key, word }) => (key ? [{ keys: ["g", key], word, between: "then" }] : [])),
  ];
  return (
    <>
      <dl
        // A region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-[55dvh] divide-y divide-hairline overflow-y-auto focus-visible:-outline-offset-2"
      >
        {shortcuts.map(({ keys, word, between }) => (
          <div key={word} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{word}</dt>
            <dd className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
              {keys.map((key, i) => (
                <span key={key} className="flex items-center gap-1.5">
                  {i > 0 ? between : null}
                  <kbd className="rounded-sm border border-control px-1.5 font-mono text-sm whitespace-nowrap text-ink">
                    {key}
                  </kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-muted">
        Single-letter shortcuts can be turned off in <TextLink href="/dashboard/account">your account</TextLink>.
      </p>
    </>
  );
}
