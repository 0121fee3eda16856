import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { isFromOwnPage } from "./own-origin";

/** The edge of every server action: it runs only where a page of this deployment asks for it. */
export const dashboardAction =
  <Input extends unknown[], Result>(work: (...input: Input) => Promise<Result>) =>
  async (...input: Input): Promise<Result> => {
    // proxy.ts refuses the same before the framework reads the body; this holds where it is not in front.
    if (!isFromOwnPage(await headers(), env().APP_URL)) {
      throw new AppError("FORBIDDEN", "An action is taken on a page of this site only.");
    }
    try {
      return await work(...input);
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAUTHORIZED") redirect("/sign-in");
      if (error instanceof AppError && error.code === "NOT_FOUND") notFound();
      throw error;
    }
  };
