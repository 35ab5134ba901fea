import type { I18n } from '@lingui/core'

/** Latitude and longitude in degrees, to about a metre. */
export function placeWords(
  { latitude, longitude }: { latitude: number | null; longitude: number | null },
  i18n: I18n,
): string {
  const degrees = (value: number | null) =>
    i18n.number(value ?? 0, { minimumFractionDigits: 5, maximumFractionDigits: 5 })
  return `${degrees(latitude)}; ${degrees(longitude)}`
}
