/** Pictures in a second where nothing says how many there are. */
const USUAL = 30

/**
 * The second at which a player shows the picture that lies `by` pictures from the one at `seconds`: the middle of it, because players
 * round, and at its edge they would show either.
 *
 * @param rate pictures in a second
 */
export function stepped(seconds: number, by: number, rate = USUAL): number {
  // What is a hair short of a picture's beginning is that picture.
  const picture = Math.floor(seconds * rate + 0.001)
  return Math.max(0, (picture + by + 0.5) / rate)
}
