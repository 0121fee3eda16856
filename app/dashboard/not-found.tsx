import { ButtonLink } from "../_components/button";
import { PageHeading } from "../_components/page-heading";

export default function DashboardNotFoundPage() {
  return (
    <>
      <title>Page not found · Switchboard</title>
      <PageHeading title="There is nothing at this address">
        The link may be old or mistyped, or belong to another workspace than the one that you are looking at.
      </PageHeading>
      <ButtonLink href="/dashboard">Go to the overview</ButtonLink>
    </>
  );
}
