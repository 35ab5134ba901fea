import { useInfiniteQuery } from '@tanstack/react-query'
import { useLingui } from '@lingui/react'
import { useEffect, useMemo } from 'react'
import { listedAt } from '../payloads/payload-fields.ts'
import { noteHeard, threadQuery } from '../payloads/queries.ts'
import { formatTime } from '../../ui/time-format.ts'
import { inReadingOrder } from './messages.ts'

/**
 * Conversation around a time: earlier and later messages, loaded by page on demand.
 * @param anchor epoch seconds
 * @param payload_reference the page's message: its audit is refetched after each read
 */
export function useThread(
  thread: { device_reference: string; thread_id: string; anchor: number },
  payload_reference: string,
) {
  const { i18n } = useLingui()
  const older = useInfiniteQuery(threadQuery(thread, 'older'))
  const newer = useInfiniteQuery(threadQuery(thread, 'newer'))
  const pages = [older, newer].reduce((sum, { data }) => sum + (data?.pages.length ?? 0), 0)
  useEffect(() => {
    if (pages > 0) noteHeard(payload_reference)
  }, [pages, payload_reference])
  const entries = useMemo(
    () =>
      inReadingOrder(
        [...(older.data?.pages ?? []), ...(newer.data?.pages ?? [])].map(({ data }) => data),
        (message) => formatTime(listedAt(message), i18n.locale, undefined, 'day'),
      ),
    [older.data, newer.data, i18n.locale],
  )
  return { older, newer, entries }
}
