import placesUrl from './geonames.gen.json?url'
import { type Places, type PlacesFile, readPlaces } from './places.ts'

let loading: Promise<Places> | undefined

/** The places, fetched once. Throws on failure; the next call retries. */
export function loadPlaces(): Promise<Places> {
  loading ??= fetchPlaces().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function fetchPlaces(): Promise<Places> {
  const answer = await fetch(placesUrl)
  if (!answer.ok) throw new Error(`the places answered ${answer.status}`)
  return readPlaces((await answer.json()) as PlacesFile)
}
