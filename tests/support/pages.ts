/** A page of the product. Which of them a deployment has is for the reader of the list to find out. */
export type ListedPage = {
  /** As a file name. */
  name: string;
  path: string;
  /** A list over everything that a workspace has gathered. */
  isList?: boolean;
};

export const PUBLIC_PAGES: ListedPage[] = [
  { name: "home", path: "/" },
  { name: "sign-in", path: "/sign-in" },
  { name: "confirm-email", path: "/confirm-email" },
  { name: "docs", path: "/docs" },
  { name: "docs-quickstart", path: "/docs/quickstart" },
  { name: "docs-reference", path: "/docs/reference" },
  { name: "docs-errors", path: "/docs/errors" },
  { name: "docs-error", path: "/docs/errors/CHAT_GRAPH_ERROR" },
  { name: "docs-platform-error", path: "/docs/errors/platform/131026" },
  { name: "docs-testing", path: "/docs/testing" },
  { name: "docs-polling", path: "/docs/polling" },
  { name: "docs-key-limits", path: "/docs/key-limits" },
  { name: "docs-costs", path: "/docs/costs" },
  { name: "docs-templates", path: "/docs/templates" },
  { name: "docs-interactive", path: "/docs/interactive" },
  { name: "docs-events", path: "/docs/webhooks" },
  { name: "docs-webhooks", path: "/docs/operator/webhooks" },
  { name: "docs-changelog", path: "/docs/changelog" },
];

/** What the detail pages are shown for. */
export type Shown = {
  messageId: string;
  requestId: string;
  phoneNumberId: string;
  templateId: string;
  contactId: string;
  keyId: string;
  endpointId: string;
  deliveryId: string;
};

export const dashboardPages = (shown: Shown): ListedPage[] => [
  { name: "get-started", path: "/dashboard/get-started" },
  { name: "overview", path: "/dashboard" },
  { name: "messages", path: "/dashboard/messages", isList: true },
  { name: "message", path: `/dashboard/messages/${shown.messageId}` },
  { name: "requests", path: "/dashboard/requests", isList: true },
  { name: "request", path: `/dashboard/requests/${shown.requestId}` },
  { name: "send", path: "/dashboard/send" },
  { name: "lines", path: "/dashboard/phone-numbers", isList: true },
  { name: "connect-line", path: "/dashboard/phone-numbers/new" },
  { name: "line", path: `/dashboard/phone-numbers/${shown.phoneNumberId}` },
  { name: "templates", path: "/dashboard/templates", isList: true },
  { name: "new-template", path: "/dashboard/templates/new" },
  { name: "template", path: `/dashboard/templates/${shown.templateId}` },
  { name: "contacts", path: "/dashboard/contacts", isList: true },
  { name: "import-contacts", path: "/dashboard/contacts/import" },
  { name: "contact", path: `/dashboard/contacts/${shown.contactId}` },
  { name: "whatsapp-feed", path: "/dashboard/webhooks", isList: true },
  { name: "usage", path: "/dashboard/usage" },
  { name: "costs", path: "/dashboard/usage/costs" },
  { name: "rate-card", path: "/dashboard/usage/rate-card" },
  { name: "workspace", path: "/dashboard/settings" },
  { name: "api-keys", path: "/dashboard/settings/api-keys", isList: true },
  { name: "api-key", path: `/dashboard/settings/api-keys/${shown.keyId}` },
  { name: "webhooks", path: "/dashboard/settings/webhooks", isList: true },
  { name: "webhook-endpoint", path: `/dashboard/settings/webhooks/${shown.endpointId}`, isList: true },
  {
    name: "webhook-delivery",
    path: `/dashboard/settings/webhooks/${shown.endpointId}/deliveries/${shown.deliveryId}`,
  },
  { name: "members", path: "/dashboard/settings/members", isList: true },
  { name: "plan", path: "/dashboard/settings/plan" },
  { name: "audit-log", path: "/dashboard/settings/audit-log", isList: true },
  { name: "account", path: "/dashboard/account" },
  { name: "alerts", path: "/dashboard/alerts" },
];
