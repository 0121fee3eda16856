import { API } from "./api";
import type { Entry } from "./entry";
import { LINES } from "./lines";
import { COMMON_ACTIONS, DASHBOARD_PAGES, PUBLIC_PAGES } from "./pages";
import { REQUESTS } from "./requests";
import { SETTINGS } from "./settings";
import { TEMPLATES } from "./templates";

/** Every route, page and action. Each area of the product has a file of rows. */
export const MATRIX: Entry[] = [
  ...API,
  ...PUBLIC_PAGES,
  ...DASHBOARD_PAGES,
  ...COMMON_ACTIONS,
  ...LINES,
  ...REQUESTS,
  ...SETTINGS,
  ...TEMPLATES,
];
