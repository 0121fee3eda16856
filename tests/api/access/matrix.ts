import { API } from "./api";
import { CONTACT_ENTRIES } from "./contacts";
import type { Entry } from "./entry";
import { LINES } from "./lines";
import { MESSAGE_ENTRIES } from "./messages";
import { COMMON_ACTIONS, DASHBOARD_PAGES, PUBLIC_PAGES } from "./pages";
import { PEOPLE } from "./people";
import { REQUESTS } from "./requests";
import { SETTINGS } from "./settings";
import { TEMPLATES } from "./templates";
import { USAGE } from "./usage";
import { WEBHOOKS } from "./webhooks";

/** Every route, page and action. Each area of the product has a file of rows. */
export const MATRIX: Entry[] = [
  ...API,
  ...PUBLIC_PAGES,
  ...DASHBOARD_PAGES,
  ...COMMON_ACTIONS,
  ...CONTACT_ENTRIES,
  ...LINES,
  ...MESSAGE_ENTRIES,
  ...PEOPLE,
  ...REQUESTS,
  ...SETTINGS,
  ...TEMPLATES,
  ...USAGE,
  ...WEBHOOKS,
];
