import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies } from "next/headers";
import { connection } from "next/server";
import type { ReactNode } from "react";
import { readTheme, THEME_COOKIE } from "@/lib/auth/choice-cookies";
import { DESCRIPTION } from "./_components/social-card";
import "./globals.css";

// The Latin part of Geist: other alphabets are set in the system's typeface. Its fallback has the same widths.
const geist = localFont({ src: "./_fonts/geist-latin.woff2", variable: "--font-geist", weight: "400 700" });

export const metadata: Metadata = {
  title: { default: "Switchboard", template: "%s · Switchboard" },
  description: DESCRIPTION,
};

export const viewport: Viewport = {
  colorScheme: "light dark",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#0e1114" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Every script carries the nonce of its own request, so no page may be rendered ahead of it.
  await connection();
  const theme = readTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme} className={geist.variable}>
      <body className="min-h-dvh font-sans antialiased">
        <a
          href="#main"
          className="sr-only z-50 rounded-control bg-page px-4 py-2 font-medium text-link focus:not-sr-only focus:fixed focus:start-4 focus:top-4"
        >
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
}
