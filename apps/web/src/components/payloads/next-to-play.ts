import type { PayloadState, PayloadType } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { obstacleTo } from '@custodia/domain/can'
import { keyOf } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { queryClient } from '../../api/query-client.ts'
import { rowsOf } from './queries.ts'
import { placeInQueue } from './review-queue.ts'

/** Items that are passed over at most: behind so many that cannot be played, somebody had better look. */
const MOST = 100

/** What follows, and how many before it cannot be played. */
interface Next {
  payload_reference: string
  passed: number
}

/**
 * The item of the list behind `payload_reference` that can be played, as far as the list says: nothing of an item is asked for before
 * the reader is there. Undefined: none follows.
 *
 * @param payload_types those that the reader may open
 */
export async function nextToPlay(
  payload_reference: string,
  payload_types: readonly PayloadType[],
): Promise<Next | undefined> {
  let from = payload_reference
  for (let passed = 0; passed < MOST; passed++) {
    if (placeInQueue(from)?.next === undefined && placeInQueue(from)?.hasNext === true) {
      const { readOn } = await import('./queue-more.ts')
      await readOn(from).catch(() => undefined)
    }
    const next = placeInQueue(from)?.next
    if (next === undefined) return undefined
    const row = rowOf(next)
    // What the list has forgotten says of itself whether it can be played, once the reader is there.
    if (row === undefined || obstacleTo(row, payload_types) === undefined)
      return { payload_reference: next, passed }
    from = next
  }
  return undefined
}

/** Says that the list is at its end, or that something was passed over. */
export function alertOn(next: Next | undefined): void {
  if (next === undefined) return noticeDone(i18n._(msg`No playable recording follows in the list`))
  const { passed } = next
  if (passed > 0)
    noticeDone(
      i18n._(
        msg`${plural(passed, { one: '# recording was skipped: it cannot be played', other: '# recordings were skipped: they cannot be played' })}`,
      ),
    )
}

function rowOf(
  payload_reference: string,
): { payload_type: PayloadType; payload_state: PayloadState } | undefined {
  for (const [, data] of queryClient.getQueriesData<unknown>({ queryKey: keyOf('listPayloads') })) {
    const row = rowsOf(data).find((each) => each.payload_reference === payload_reference)
    if (row !== undefined) return row
  }
  return undefined
}
