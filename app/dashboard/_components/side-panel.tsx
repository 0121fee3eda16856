"use client";

import { usePathname, useRouter, useSearchParams, useSelectedLayoutSegment } from "next/navigation";
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import { CloseButton } from "@/app/_components/dialog";
import { Beside, PANEL_TITLE_ID } from "@/app/_components/heading";
import { Icon } from "@/app/_components/icon";
import { Link, useAddressInMode } from "@/app/_components/link";
import { REFRESH_PARAMETER } from "./auto-refresh";

/** From this width on a panel is shown beside its list. */
const HAS_ROOM = "(width >= 64rem)";

type Props = {
  /** The detail that opened; the slot `panel` of a list's layout. */
  panel: ReactNode;
  /** The list, or any page below it. */
  children: ReactNode;
};

/** The layout of a list: a detail beside it; instead of the page where there is no room, or no list. */
export function SidePanel({ panel, children }: Props) {
  const shown = useShownPath();
  const isOnList = useSelectedLayoutSegment() === null;
  const isBeside = useIsWideScreen() && isOnList;
  useEffect(() => {
    if (shown !== undefined && !isBeside) window.scrollTo(0, 0);
  }, [shown, isBeside]);
  return (
    <>
      {shown === undefined || isBeside ? children : panel}
      <Frame shown={isBeside ? shown : undefined}>{panel}</Frame>
    </>
  );
}

/**
 * Renders nothing: for the `panel` slot of the list itself, and for the list in a panel response, where the browser keeps
 * its current list.
 */
export function EmptySlot() {
  return null;
}

/** The router keeps a slot's content on pages that have none for it, so it is shown at its own address only. */
function useShownPath(): string | undefined {
  const id = useSelectedLayoutSegment("panel");
  const path = usePathname();
  return id !== null && path.endsWith(`/${id}`) ? path : undefined;
}

const useIsWideScreen = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const query = window.matchMedia(HAS_ROOM);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => window.matchMedia(HAS_ROOM).matches,
    () => true,
  );

/** Not modal: the list stays in use, and shows another row. */
function Frame({ shown, children }: { shown: string | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const addressOf = useAddressInMode();
  const isRefresh = useSearchParams().has(REFRESH_PARAMETER);
  useEffect(() => {
    if (shown !== undefined && isRefresh) window.history.replaceState(null, "", addressOf(shown));
  }, [shown, isRefresh, addressOf]);
  const close = useClose(shown);
  useFocus(frame, shown);
  useDismissal(frame, shown === undefined ? undefined : close);
  if (shown === undefined) return null;
  return (
    <div
      ref={frame}
      role="dialog"
      aria-labelledby={PANEL_TITLE_ID}
      tabIndex={-1}
      className="side-panel flex flex-col bg-page focus-visible:-outline-offset-2"
    >
      <div className="flex min-h-12 shrink-0 items-center justify-between gap-4 border-b border-hairline px-6">
        {/* No Link: only a page that is loaded again leaves the list behind. */}
        <a
          href={addressOf(shown)}
          className="inline-flex min-h-8 items-center gap-1.5 rounded-control text-sm text-link hover:underline pointer-coarse:min-h-11"
        >
          <Icon name="external" />
          Open as page
        </a>
        <CloseButton onClose={close} title="Close (Esc)" />
      </div>
      <div data-scrolls className="min-h-0 grow overflow-y-auto overscroll-contain px-6 py-5">
        <Beside value={true}>{children}</Beside>
      </div>
    </div>
  );
}

/** A further close within this time is ignored: it would lead beyond the list. */
const CLOSES_WITHIN_MS = 1_000;

/** Back to the list as it was, with its filters. The command menu may have put one panel over another: all of them go. */
function useClose(shown: string | undefined): () => void {
  const router = useRouter();
  const startedAtMs = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    if (shown === undefined) startedAtMs.current = Number.NEGATIVE_INFINITY;
    else if (performance.now() - startedAtMs.current < CLOSES_WITHIN_MS) router.back();
  }, [shown, router]);
  return useCallback(() => {
    if (performance.now() - startedAtMs.current < CLOSES_WITHIN_MS) return;
    startedAtMs.current = performance.now();
    router.back();
  }, [router]);
}

/** Into the panel as it opens; back to the row's link where the panel closed with the focus in it. */
function useFocus(frame: RefObject<HTMLDivElement | null>, shown: string | undefined): void {
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (shown !== undefined) {
      frame.current?.querySelector("[data-scrolls]")?.scrollTo(0, 0);
      frame.current?.focus({ preventScroll: true });
    } else if (last.current !== undefined && document.activeElement === document.body) {
      panelLinkTo(last.current)?.focus({ preventScroll: true });
    }
    last.current = shown;
  }, [frame, shown]);
}

/** What has its own use for a click beside the panel. */
const CONTROLS = "a, button, input, select, textarea, label, summary, dialog";

/** Esc, unless something lies over the panel or the user types in it, and a click on the list's own ground. */
function useDismissal(frame: RefObject<HTMLDivElement | null>, close: (() => void) | undefined): void {
  // At once with the panel: Esc may be pressed before the browser has time for other effects.
  useLayoutEffect(() => {
    if (!close) return;
    const isWithin = (target: EventTarget | null) => target instanceof Element && frame.current?.contains(target);
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      const isWriting = event.target instanceof Element && event.target.matches("input, textarea, select");
      if ((isWriting && isWithin(event.target)) || document.querySelector("dialog[open], :popover-open")) return;
      close();
    };
    const closeBeside = ({ target }: MouseEvent) => {
      const isOnList = target instanceof Element && target.closest("main") && !target.closest(CONTROLS);
      if (isOnList && !isWithin(target) && `${getSelection()}` === "") close();
    };
    document.addEventListener("keydown", closeOnEscape);
    document.addEventListener("click", closeBeside);
    return () => {
      document.removeEventListener("keydown", closeOnEscape);
      document.removeEventListener("click", closeBeside);
    };
  }, [frame, close]);
}

type PanelLinkProps = ComponentProps<typeof Link>;

/** A row's link to its detail, which opens beside the list if there is room for both, else as a page. */
export function PanelLink({ href, ...rest }: PanelLinkProps) {
  const here = usePathname();
  return (
    <Link
      {...rest}
      href={href}
      scroll={false}
      // One Back leads to the list, however many rows were looked at.
      replace={here !== href.slice(0, href.lastIndexOf("/"))}
      aria-current={here === href ? "true" : undefined}
      data-opens-panel={href}
    />
  );
}

function panelLinkTo(path: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`a[data-opens-panel="${CSS.escape(path)}"]`);
}
