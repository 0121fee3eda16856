import { ButtonLink } from "./button";
import { Icon } from "./icon";

/** Newer and older pages of a list by time; an absent address is no page. */
export function Pager({ newer, older }: { newer?: string | undefined; older?: string | undefined }) {
  if (!newer && !older) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between gap-3">
      {newer ? (
        <ButtonLink look="secondary" href={newer}>
          <Icon name="arrowLeft" />
          Newer
        </ButtonLink>
      ) : (
        <span />
      )}
      {older ? (
        <ButtonLink look="secondary" href={older}>
          Older
          <Icon name="arrowRight" />
        </ButtonLink>
      ) : null}
    </nav>
  );
}
