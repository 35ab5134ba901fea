import type { AlertQuery, AlertSummary, Page } from '@custodia/contract'
import type { Cursors } from '../http/cursor.ts'
import type { AlertKey } from './store.ts'

interface PageRequest extends Pick<AlertQuery, 'limit' | 'last_key' | 'date_filter'> {
  /** Names the list; see `Cursors`. */
  list: string
}

/** The page that a request asks for. `read` is asked for one alert more than the page holds, to know whether there is a next one. */
export async function pageOfAlerts<T extends AlertSummary>(
  cursors: Cursors,
  { list, limit, last_key, date_filter }: PageRequest,
  read: (from: AlertKey | undefined, limit: number) => Promise<T[]>,
): Promise<Page<T>> {
  const from = last_key === undefined ? undefined : (cursors.open(list, last_key) as unknown as AlertKey)
  const rows = await read(from, limit + 1)
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    count: data.length,
    ...(more ? { last_key: cursors.seal(list, [last[date_filter], last.alert_reference]) } : {}),
    data,
  }
}
