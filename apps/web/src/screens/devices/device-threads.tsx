import { MESSAGE_TYPES, type Thread, ThreadId, threadEndpoints } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { api } from '../../api/api.ts'
import { deviceAt } from '../../components/devices/device-at.ts'
import { columnsOf } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { partyText } from '../payloads/party-text.ts'
import { PartiesCell } from '../payloads/payload-cells.tsx'
import { detailOf } from '../payloads/services.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'

const column = columnsOf<Thread>()

/** Conversations of a device, as a tab of its page; a row opens the last visible message. */
export function threadsOfDevice(device_reference: string) {
  const { to, params, search } = deviceAt(device_reference)
  return defineList({
    name: `threads of device ${device_reference}`,
    kind: 'threads-of-device',
    call: 'listThreads',
    row: threadEndpoints.listThreads,
    ask: (input, options) => api.listThreads({ ...input, params: { device_reference } }, options),
    to,
    params,
    part: { ...(search as Record<string, string> | undefined), tab: 'threads' },
    key: ThreadId,
    title: msg`Conversations`,
    icon: 'messages',
    columns: [
      column.drawn('parties', msg`Parties`, Parties, (row) => row.parties.map(nameOf).join(', '), {
        width: 250,
        grow: 3,
        stacked: 'lead',
      }),
      column.moment('last_message', msg`Last message`, (row) => row.last_message_at, {
        width: 154,
        stacked: 'end',
      }),
      column.count('messages', msg`Messages`, (row) => row.message_count, { width: 110, stacked: 'line' }),
      column.drawn('types', msg`Types`, Types, (row) => row.message_types.join('; '), {
        width: 140,
        stacked: 'line',
      }),
    ],
    filters: [],
    isUnchanged: true,
    noMatch: msg`No conversations match`,
    empty: {
      title: msg`No conversations yet`,
      description: msg`Conversations appear here after this device uploads a message.`,
    },
    keyOf: (row) => row.thread_id,
    rowTitle: (row, i18n) => row.parties.map((party) => partyText(party, i18n)).join(', ') || row.thread_id,
    detail: (row) => detailOf('messages', row.last_payload_reference),
  })
}

const nameOf = ({ contact_name, phone_number }: Thread['parties'][number]) =>
  contact_name || phone_number || ''

const Parties = ({ row }: { row: Thread }) => (
  <PartiesCell row={{ ...row, payload_type: row.message_types[0] ?? MESSAGE_TYPES[0] }} />
)

function Types({ row }: { row: Thread }) {
  const { i18n } = useLingui()
  return row.message_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')
}
