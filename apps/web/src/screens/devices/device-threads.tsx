import { ThreadId } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { api } from '../../api/api.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { THREAD_COLUMNS, threadTitle } from '../payloads/conversation-list.tsx'
import { getDetail } from '../payloads/services.ts'

/** Conversations of a device, as a tab of its page; a row opens the last visible message. */
export function threadsOfDevice(device_reference: string) {
  return defineList({
    name: `threads of device ${device_reference}`,
    kind: 'threads-of-device',
    call: 'listThreads',
    api,
    path: { device_reference },
    ...deviceTab(device_reference, 'threads'),
    key: ThreadId,
    title: msg`Conversations`,
    icon: 'messages',
    columns: [THREAD_COLUMNS.parties, THREAD_COLUMNS.last, THREAD_COLUMNS.messages, THREAD_COLUMNS.types],
    filters: [],
    isUnchanged: true,
    noMatch: msg`No conversations match`,
    empty: {
      title: msg`No conversations yet`,
      description: msg`Conversations appear here after this device uploads a message.`,
    },
    getKey: (row) => row.thread_id,
    rowTitle: threadTitle,
    detail: (row) => getDetail('messages', row.last_payload_reference),
  })
}
