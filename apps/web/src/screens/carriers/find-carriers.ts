import { type Country, countryName } from '@custodia/contract'

/** Countries by name in the current language. */
export const inLanguage = (countries: readonly Country[], locale: string): Country[] =>
  countries
    .map((country) => ({ ...country, country_name: countryName(country.country, locale) }))
    .sort((a, b) => a.country_name.localeCompare(b.country_name, locale))

/** Filters by text: a matching country keeps all its carriers; others keep carriers whose name, code or clients match. */
export function findCarriers(countries: readonly Country[], search: string): Country[] {
  const text = search.trim().toLowerCase()
  const has = (...values: readonly string[]) => values.some((value) => value.toLowerCase().includes(text))
  return countries.flatMap((country) => {
    if (has(country.country_name)) return [country]
    const carriers = country.carriers.filter((carrier) =>
      has(carrier.carrier_name, carrier.carrier_code, ...carrier.clients),
    )
    return carriers.length === 0 ? [] : [{ ...country, carriers }]
  })
}
