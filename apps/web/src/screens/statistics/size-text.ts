/** Megabytes with significant decimals: `0.004`, `1.5`, `12,345`. */
export function sizeText(mb: number, locale: string): string {
  const digits = mb >= 100 ? 0 : mb >= 1 ? 1 : 3
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(mb)
}
