import type { OpenedRange } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import { openObject } from '../data-objects.ts'
import type { Grant } from './media-grant.ts'

/** Open addresses in the cache; the oldest are dropped first. */
const MOST = 500

interface Kept {
  object_key: string
  opened: OpenedRange
  /** Responses that read it now. */
  readers: number
  timer: NodeJS.Timeout
}

/** Opened objects of data addresses. */
export interface OpenedObjects {
  /**
   * Opens the object of a grant, or uses the one opened for the same address, and releases it after `work`.
   */
  use<T>(grant: Grant, work: (opened: OpenedRange) => Promise<T>): Promise<T>
  /** Addresses with an entry. */
  readonly size: number
}

/**
 * Keeps the objects of an address open while it lives, because a player sends dozens of Range requests. Permission is
 * checked per request and never cached; keys are overwritten after the last read.
 */
export function openedObjects(ctx: Pick<AppContext, 'keys' | 'objects' | 'now'>): OpenedObjects {
  const kept = new Map<string, Kept>()

  function forget(address_id: string, entry: Kept): void {
    clearTimeout(entry.timer)
    if (kept.get(address_id) === entry) kept.delete(address_id)
    if (entry.readers === 0) entry.opened.forget()
  }

  function keep({ address_id, expires_at, object }: Grant, opened: OpenedRange): Kept {
    const other = kept.get(address_id)
    if (other) forget(address_id, other)
    const [oldest] = kept
    if (oldest && kept.size >= MOST) forget(...oldest)
    const milliseconds = (expires_at - ctx.now()) * 1000
    const timer = setTimeout(() => forget(address_id, entry), milliseconds).unref()
    const entry: Kept = { object_key: object.object_key, opened, readers: 0, timer }
    kept.set(address_id, entry)
    return entry
  }

  return {
    async use(grant, work) {
      const { address_id, client, payload_reference, object } = grant
      const known = kept.get(address_id)
      const entry =
        known?.object_key === object.object_key
          ? known
          : keep(grant, await openObject(ctx, client, payload_reference, object))
      entry.readers++
      try {
        return await work(entry.opened)
      } finally {
        entry.readers--
        if (entry.readers === 0 && kept.get(address_id) !== entry) entry.opened.forget()
      }
    },
    get size() {
      return kept.size
    },
  }
}
