/** Moves along the window's upper edge while a page is on its way. */
export function Progress() {
  return (
    <span role="status" className="fixed inset-x-0 top-0 z-50 h-0.5 overflow-hidden">
      <span className="progress-runner block h-full bg-accent" />
      <span className="sr-only">Loading</span>
    </span>
  );
}
