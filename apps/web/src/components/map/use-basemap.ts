import { useEffect, useState } from 'react'
import { type Basemap, loadBasemap } from './basemap.ts'

/** The basemap once it is there. Without it a track is drawn on open ground; the next map tries again. */
export function useBasemap(): Basemap | undefined {
  const [basemap, setBasemap] = useState<Basemap>()
  useEffect(() => {
    let isWanted = true
    loadBasemap().then(
      (loaded) => isWanted && setBasemap(loaded),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [])
  return basemap
}
