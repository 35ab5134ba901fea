import { useSearch } from '@tanstack/react-router'

/** A moment of a recording in the address of its page: `?t=93`, in seconds. What is no moment drops. */
export interface MomentSearch {
  t?: number
}

/** Reads the address of the page of a recording. */
export function momentSearch(search: Record<string, unknown>): MomentSearch {
  const t = typeof search.t === 'string' && search.t !== '' ? Number(search.t) : search.t
  return typeof t === 'number' && Number.isFinite(t) && t >= 0 ? { t } : {}
}

/** The moment that the page's address names; undefined: none. */
export const useMoment = (): number | undefined =>
  useSearch({ strict: false, select: (search: object) => momentSearch({ ...search }).t })

/** The address of this page at a moment, for a colleague: whether they may hear it, their own rights decide. */
export function addressOf(seconds: number): string {
  const address = new URL(location.href)
  address.search = `?t=${Math.floor(seconds * 10) / 10}`
  address.hash = ''
  return address.href
}
