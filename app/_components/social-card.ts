import type { Metadata } from "next";
import { env } from "@/lib/core/env";

/** Of the product, where a page has none of its own. */
export const DESCRIPTION = "A WhatsApp messaging gateway: one API key, three endpoints, and no message sent twice.";

type Page = { title: string; description: string; path: string };

/** How a public page is shown where people share its address. */
export function socialCard({ title, description, path }: Page): Metadata {
  const { APP_URL } = env();
  return {
    openGraph: {
      title,
      description,
      url: `${APP_URL}${path}`,
      siteName: "Switchboard",
      type: "website",
      images: [{ url: `${APP_URL}/og.png`, width: 1200, height: 630, alt: "Switchboard" }],
    },
    twitter: { card: "summary_large_image" },
  };
}
