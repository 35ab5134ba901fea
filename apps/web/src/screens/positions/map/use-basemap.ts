import { useEffect, useState } from 'react'
import { type Basemap, loadBasemap } from './basemap.ts'

/** The basemap once loaded. On failure tracks are drawn without it; the next map retries. */
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
