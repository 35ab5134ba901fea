import type { Thread } from '@custodia/contract'
import { findGroupOfDevice } from '../../device-records/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { scopeOf } from './store/scope.ts'
import { countThreads, listThreads, type ThreadKey } from './store/threads.ts'

const ACTION = 'devices.sms:list'

/**
 * The conversations of a device. Problem: not_found, when the caller sees neither the device nor a message of
 * it.
 */
export function listThreadsOfDevice({ cursors }: Pick<AppContext, 'cursors'>): Handler<'listThreads'> {
  return ({ caller, readFromReplica }, { params, query }) =>
    readFromReplica(async (q) => {
      const { client_id, access } = caller
      const unknown = new Problem('not_found', {
        detail: 'neither the device nor a message of it is in reach',
      })
      const device = await findGroupOfDevice(q, params.device_reference)
      const scope = scopeOf(access, ACTION, { service: 'messages' })
      if (!device || scope.length === 0) throw unknown
      const within = { scope, device_id: device.device_id }
      const assertKnown = () => {
        if (!access.permits(ACTION, device)) throw unknown
      }
      if (query.type === 'total') {
        const total = await countThreads(q, within)
        if (total === 0) assertKnown()
        return { total }
      }
      const name = `listThreads ${params.device_reference}`
      const page = await pageOf<Thread, ThreadKey>(
        cursors,
        { name, client_id, query },
        (after, limit) => listThreads(q, within, { after, limit }),
        ({ last_message_at, thread_id }) => [last_message_at, thread_id],
      )
      if (page.count === 0 && query.last_key === undefined) assertKnown()
      return page
    })
}
