/** Epoch seconds as a date parameter of lists, `YYYY-MM-DD-HHMMSS` in UTC (spec section 5). */
export const dateParameter = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/T(\d\d):(\d\d):(\d\d).*$/, '-$1$2$3')
