const NUMBER = new Intl.NumberFormat("en-GB");

/** A number as texts show it, with commas between thousands. */
export const formatNumber = (value: number): string => NUMBER.format(value);
