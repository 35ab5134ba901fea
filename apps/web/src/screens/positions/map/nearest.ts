import type { Places } from './places.ts'

/** A position in words: its nearest place, and the city that this place is part of or next to. */
export interface Nearby {
  /** Index of the nearest place. */
  place: number
  city: number | undefined
  metres: number
}

/** Least population of a city in thousands, and metres to which it reaches; the first that fits counts. */
const CITIES = [
  [1000, 25_000],
  [300, 12_000],
  [100, 7000],
] as const
/** A place of more than this share of a city's population is no part of it. */
const PART = 0.35

/** Population of a large city in thousands, and metres to its parts. */
const LARGE = 300
const INSIDE = 2500

const METRES_PER_DEGREE = 111_320

/** Finds the nearest place of a position within about 100 kilometres. */
export function placeFinder(places: Places): (latitude: number, longitude: number) => Nearby | undefined {
  const { latitudes, longitudes, populations, countries } = places
  const cells = new Map<number, number[]>()
  for (const [i, latitude] of latitudes.entries()) {
    const key = getKey(latitude, longitudes[i] ?? 0)
    const cell = cells.get(key)
    if (cell) cell.push(i)
    else cells.set(key, [i])
  }
  return (latitude, longitude) => {
    const around = [-1, 0, 1].flatMap((north) =>
      [-1, 0, 1].flatMap((east) => cells.get(getKey(latitude + north, longitude + east)) ?? []),
    )
    const metresTo = (i: number) => metresBetween(latitude, longitude, latitudes[i] ?? 0, longitudes[i] ?? 0)
    const far = around.map((place) => ({ place, metres: metresTo(place) }))
    const inhabitants = (i: number) => populations[i] ?? 0
    const closest = far.toSorted((a, b) => a.metres - b.metres)
    // The middle of a large city says less than the part next to it.
    const [first, ...others] = closest
    const inside = others.find(
      ({ place, metres }) => metres <= INSIDE && inhabitants(place) < inhabitants(first?.place ?? 0) * PART,
    )
    const nearest = first && inhabitants(first.place) >= LARGE ? (inside ?? first) : first
    if (!nearest) return undefined
    const cities = far.filter(
      ({ place, metres }) =>
        place !== nearest.place &&
        countries[place] === countries[nearest.place] &&
        inhabitants(nearest.place) <= inhabitants(place) * PART &&
        metres <= (CITIES.find(([least]) => inhabitants(place) >= least)?.[1] ?? 0),
    )
    const city = cities.toSorted((a, b) => inhabitants(b.place) - inhabitants(a.place))[0]?.place
    return { ...nearest, city }
  }
}

/** Cells of one degree; the date line has no edge. */
const getKey = (latitude: number, longitude: number): number =>
  Math.floor(latitude) * 1000 + ((Math.floor(longitude) + 540) % 360)

function metresBetween(latitude: number, longitude: number, north: number, east: number): number {
  const turn = Math.abs(east - longitude)
  const degrees = Math.min(turn, 360 - turn) * Math.cos((latitude * Math.PI) / 180)
  return Math.hypot(north - latitude, degrees) * METRES_PER_DEGREE
}
