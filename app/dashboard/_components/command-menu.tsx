"use client";

import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState, useSyncExternalStore, useTransition } from "react";
import { Dialog } from "@/app/_components/dialog";
import { Icon } from "@/app/_components/icon";
import { useAddressInMode, useTabMode } from "@/app/_components/link-mode";
import { Progress } from "@/app/_components/progress";
import { switchWorkspace } from "../actions";
import { type Command, CommandList } from "./command-list";
import { pagesBut } from "./menu-entries";
import { API_KEYS_PATH, WEBHOOKS_PATH } from "./secret-areas";
import { ShortcutHelp } from "./shortcut-help";
import { useShortcuts } from "./use-shortcuts";

type Props = {
  workspaceId: string;
  /** The visitor's others. */
  workspaces: { id: string; name: string }[];
  /** The secret areas that the visitor may not see. */
  absent: readonly string[];
  hasShortcuts: boolean;
};

/** One field for every page, id and workspace, from the keyboard or the top bar. */
export function CommandMenu({ workspaceId, workspaces, absent, hasShortcuts }: Props) {
  const router = useRouter();
  const mode = useTabMode();
  const addressOf = useAddressInMode();
  const [open, setOpen] = useState<"menu" | "help" | null>(null);
  const [isOnTheWay, startTransition] = useTransition();
  const close = useCallback(() => setOpen(null), []);
  const openMenu = useCallback(() => setOpen("menu"), []);
  const openHelp = useCallback(() => setOpen("help"), []);
  const goTo = useCallback((href: string) => startTransition(() => router.push(addressOf(href))), [router, addressOf]);
  const pages = useMemo(() => pagesBut(absent), [absent]);
  const pagesByKey = useMemo(
    () => Object.fromEntries(pages.flatMap(({ key, href }) => (key ? [[key, href]] : []))),
    [pages],
  );
  useShortcuts({ areOn: hasShortcuts, pages: pagesByKey, openMenu, openHelp, goTo });

  const commands: Command[] = [
    ...pages.map(({ href, icon, word }) => ({ group: "Pages", icon, word, act: () => goTo(href) })),
    ...CREATIONS.filter(({ page }) => !absent.includes(page)).map(({ page, word }) => ({
      group: "Actions",
      icon: "plus" as const,
      word,
      act: () => goTo(`${page}?create=1`),
    })),
    ...workspaces.map(({ id, name }) => ({
      group: "Workspaces",
      icon: "overview" as const,
      word: `Switch to ${name}`,
      act: () => startTransition(() => switchWorkspace(formOf({ workspaceId: id, mode: mode ?? "" }))),
    })),
    ...(hasShortcuts
      ? [{ group: "Actions", icon: "help" as const, word: "Keyboard shortcuts", act: openHelp, staysOpen: true }]
      : []),
  ];

  return (
    <>
      {isOnTheWay ? <Progress /> : null}
      <button
        type="button"
        onClick={openMenu}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title="Go to a page or find an id"
        className="inline-flex min-h-9 items-center gap-2 rounded-control border border-control px-2.5 text-muted hover:text-ink pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
      >
        <Icon name="search" />
        <span className="sr-only md:not-sr-only">Go to or find</span>
        <KeyHint />
      </button>
      <Dialog title="Go to or find" isOpen={open === "menu"} onClose={close}>
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

/** Dialogs that their page opens at once. */
const CREATIONS = [
  { page: API_KEYS_PATH, word: "Create API key" },
  { page: WEBHOOKS_PATH, word: "Add webhook endpoint" },
];

function KeyHint() {
  const isApple = useSyncExternalStore(
    neverChanges,
    () => /Mac|iP/.test(navigator.platform),
    () => false,
  );
  return (
    <span aria-hidden="true" className="hidden rounded-sm border border-hairline px-1 text-xs lg:inline">
      {isApple ? "⌘ K" : "Ctrl K"}
    </span>
  );
}

const neverChanges = () => () => {};

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
