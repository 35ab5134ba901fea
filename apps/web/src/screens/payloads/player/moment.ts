import { useLocation } from '@tanstack/react-router'

/** Start time in a recording's address: `?t=93`, in seconds. Invalid values are dropped. */
export interface MomentSearch {
  t?: number
}

export function momentSearch(search: Record<string, unknown>): MomentSearch {
  const t = typeof search.t === 'string' && search.t !== '' ? Number(search.t) : search.t
  return typeof t === 'number' && Number.isFinite(t) && t >= 0 ? { t } : {}
}

/** Start time in the address of this recording's page; undefined: none, or the address of another page. */
export const useMoment = (payload_reference: string): number | undefined =>
  useLocation({
    select: ({ pathname, search }) =>
      pathname.endsWith(`/${payload_reference}`) ? momentSearch({ ...search }).t : undefined,
  })

/** Address of this page at a time, to share; the reader needs their own rights. */
export function getAddress(seconds: number): string {
  const address = new URL(location.href)
  address.search = `?t=${Math.floor(seconds * 10) / 10}`
  address.hash = ''
  return address.href
}
