import type { toEventResource } from "@/lib/outgoing/events/event-resource";

/** Returns an event of a workspace as the text of Slack's incoming webhooks, which Mattermost and Google Chat also take. */
export function slackText({ type, data }: ReturnType<typeof toEventResource>, workspace: string | null = null): string {
  if ("sentence" in data && data.sentence !== undefined) {
    const { sentence, severity, url } = data;
    const mark = type === "alert.closed" ? "✅ Over:" : severity === "critical" ? "🔴" : "🟡";
    const place = workspace === null ? "" : `${workspace}: `;
    return `${mark} ${escapeText(`${place}${sentence}`)} <${url}|Open in Switchboard>`;
  }
  return escapeText("message" in data && data.message !== undefined ? data.message : type);
}

/** Slack's own three: https://docs.slack.dev/messaging/formatting-message-text. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
