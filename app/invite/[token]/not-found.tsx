import { ButtonLink } from "@/app/_components/button";
import { Entrance } from "@/app/_components/frame";

export default function InvitationNotFoundPage() {
  return (
    <Entrance title="No such invitation">
      <title>No such invitation · Switchboard</title>
      <p className="mt-2 mb-5 text-muted">
        The link is incomplete, or the person who made it left the workspace. Copy it again, or ask for a new one.
      </p>
      <ButtonLink href="/" look="secondary">
        Go to the start
      </ButtonLink>
    </Entrance>
  );
}
