import type { Locale } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useMemo, useState } from 'react'
import { placeFinder } from './nearest.ts'
import { loadMapData, getName, type Places } from './places.ts'

/** Metres to which a position counts as at its nearest place. */
const AT = 5000

/** A position in degrees; null where it cannot be opened. */
export interface Coordinates {
  latitude: number | null
  longitude: number | null
}

/** Names positions by their nearest place: "Peckham, London". Until the places are loaded, and far from all: undefined. */
export function usePlaceNames(): (position: Coordinates) => string | undefined {
  const { t, i18n } = useLingui()
  const [places, setPlaces] = useState<Places>()
  useEffect(() => {
    let isWanted = true
    loadMapData().then(
      (loaded) => isWanted && setPlaces(loaded.places),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [])
  const find = useMemo(() => places && placeFinder(places), [places])
  return useMemo(() => {
    const locale: Locale = i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
    const countries = new Intl.DisplayNames([locale], { type: 'region' })
    const nameAt = (latitude: number, longitude: number): string | undefined => {
      const found = find?.(latitude, longitude)
      if (!places || !found) return undefined
      const place = getName(places, found.place, locale)
      const around =
        found.city === undefined
          ? (countries.of(places.countries[found.place] ?? '') ?? '')
          : getName(places, found.city, locale)
      if (found.metres <= AT) return `${place}, ${around}`
      const kilometres = i18n.number(Math.round(found.metres / 1000), { style: 'unit', unit: 'kilometer' })
      return t`${kilometres} from ${place}, ${around}`
    }
    return cachedNames(nameAt)
  }, [places, find, i18n, t])
}

/** A replay asks for the same positions in every frame. */
function cachedNames(nameAt: (latitude: number, longitude: number) => string | undefined) {
  const known = new Map<string, string | undefined>()
  return ({ latitude, longitude }: Coordinates): string | undefined => {
    if (latitude === null || longitude === null) return undefined
    const key = `${latitude.toFixed(3)} ${longitude.toFixed(3)}`
    if (!known.has(key)) known.set(key, nameAt(latitude, longitude))
    return known.get(key)
  }
}
