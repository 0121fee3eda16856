import { Copyable } from "@/app/_components/copy-button";
import { Fields } from "@/app/_components/panels";
import { Code, Muted } from "@/app/_components/text";
import { may } from "@/lib/auth/page-member";
import { webhookValues } from "@/lib/phone-numbers/access-fields";

/** What is pasted in the webhook settings of WhatsApp's app; the token is for those who manage lines. */
export function MemberWebhookValues() {
  const { callbackUrl, verifyToken, fields } = webhookValues();
  return (
    <Fields
      rows={{
        "Callback URL": <Copyable value={callbackUrl} label="callback URL" />,
        "Verify token": may("manageLines") ? (
          <Copyable value={verifyToken} label="verify token" />
        ) : (
          <Muted>Only owners and admins see it.</Muted>
        ),
        "Fields to tick": <CodeList codes={fields} />,
      }}
    />
  );
}

/** Words of an API in a row. */
export function CodeList({ codes }: { codes: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {codes.map((code) => (
        <li key={code}>
          <Code>{code}</Code>
        </li>
      ))}
    </ul>
  );
}
