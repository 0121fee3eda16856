/** Of the keys with which members try the API on its reference page. */
export const TRIAL_LABEL = "Try it in the docs";
export const TRIAL_MINUTES = 30;
