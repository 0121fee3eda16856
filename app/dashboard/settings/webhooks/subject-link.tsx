import { TextLink } from "@/app/_components/text-link";

/** The message or template that an event is about; a test event is about nothing. */
export function SubjectLink({ type, subjectId }: { type: string; subjectId: string }) {
  const place = PLACES[type.split(".")[0] ?? ""];
  if (!place) return <span className="text-muted">–</span>;
  return (
    <TextLink href={`${place}/${subjectId}`} prefetch={false}>
      <code className="font-mono text-sm break-all">{subjectId}</code>
    </TextLink>
  );
}

const PLACES: Record<string, string> = { message: "/dashboard/messages", template: "/dashboard/templates" };
