import {
  type Conversation,
  CONVERSATION_COUNTED,
  MESSAGE_TYPES,
  PayloadReference,
  type Thread,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { FaintText } from '../../components/cells.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { WEEK } from '../../components/lists/date-range.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import type { Neighbours } from '../../components/lists/list-definition.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { markKey } from './actions/mark-keys.ts'
import { partyText } from './party-text.ts'
import { PartiesCell } from './payload-cells.tsx'
import { userColumn } from './payload-columns.ts'
import { setReviewQueue } from './review-queue.ts'
import { getDetail, SERVICES } from './services.ts'
import { getSuggestions } from './suggestions.ts'

const thread = getColumns<Thread>()
const column = getColumns<Conversation>()

/** Columns of every list of conversations. */
export const THREAD_COLUMNS = {
  parties: thread.drawn('parties', msg`Parties`, Parties, (row) => row.parties.map(getName).join(', '), {
    width: 250,
    grow: 3,
    stacked: 'lead',
  }),
  last: thread.moment('last_message', msg`Last message`, (row) => row.last_message_at, { stacked: 'end' }),
  messages: thread.count('messages', msg`Messages`, (row) => row.message_count, {
    width: 110,
    stacked: 'line',
  }),
  types: thread.drawn('types', msg`Types`, Types, (row) => row.message_types.join('; '), {
    width: 140,
    stacked: 'line',
  }),
} as const

/** Title of a conversation: its parties. */
export const threadTitle = (row: Thread, i18n: Parameters<typeof partyText>[1]): string =>
  row.parties.map((party) => partyText(party, i18n)).join(', ') || row.thread_id

function getName({ contact_name, phone_number }: Thread['parties'][number]) {
  return contact_name || phone_number || ''
}

function Parties({ row }: { row: Thread }) {
  return <PartiesCell row={{ ...row, payload_type: row.message_types[0] ?? MESSAGE_TYPES[0] }} />
}

function Types({ row }: { row: Thread }) {
  const { i18n } = useLingui()
  return row.message_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')
}

/** How many messages wait, and a quiet word when none does. */
function UnreviewedCount({ row: { unreviewed_count: count } }: { row: Conversation }) {
  if (count === undefined) return null
  if (count === 0) return <FaintText word={ALL_REVIEWED} />
  return (
    <strong>
      {count === CONVERSATION_COUNTED ? (
        <Trans>{count} or more not reviewed</Trans>
      ) : (
        <Plural value={count} one="# not reviewed" other="# not reviewed" />
      )}
    </strong>
  )
}

function UnopenedCount({ row: { unopened_count: count } }: { row: Conversation }) {
  if (count === undefined) return null
  if (count === 0) return <FaintText word={ALL_OPENED} />
  return count === CONVERSATION_COUNTED ? (
    <Trans>{count} or more not opened</Trans>
  ) : (
    <Plural value={count} one="# not opened" other="# not opened" />
  )
}
const ALL_REVIEWED = msg`All reviewed`
const ALL_OPENED = msg`All opened`

const Preview = lazy(async () => {
  const { default: PayloadPreview } = await import('./payload-preview.tsx')
  return {
    default: ({ rowKey, neighbours }: { rowKey: string; neighbours: Neighbours<Conversation> }) => (
      <PayloadPreview rowKey={rowKey} row={undefined} neighbours={{ ...neighbours, next: () => undefined }} />
    ),
  }
})

const { list, noneYet, comes } = SERVICES.messages

/** Messages grouped by conversation: `/dashboard/services/messages?tab=conversations`; a row opens its last message. */
export const CONVERSATION_LIST = defineList({
  name: 'conversations',
  call: 'listConversations',
  api,
  to: list,
  part: { tab: 'conversations' },
  key: PayloadReference,
  title: msg`Conversations`,
  icon: 'messages',
  columns: [
    THREAD_COLUMNS.last,
    { ...userColumn<Conversation>(), stacked: 'line' },
    THREAD_COLUMNS.parties,
    { ...THREAD_COLUMNS.messages, stacked: undefined },
    column.drawn('unreviewed', msg`Review`, UnreviewedCount, (row) => row.unreviewed_count, {
      width: 140,
      stacked: 'line',
      hasValue: (row) => row.unreviewed_count !== undefined,
    }),
    column.drawn(
      'unopened',
      msg({ context: 'filter', message: 'Opened' }),
      UnopenedCount,
      (row) => row.unopened_count,
      { width: 130, hasValue: (row) => row.unopened_count !== undefined },
    ),
    THREAD_COLUMNS.types,
    column.group('group', msg`Group`, { width: 104, grow: 1.4 }),
    column.text('device', msg`Device`, (row) => row.device_reference, {
      width: 120,
      grow: 1,
      isOptional: true,
    }),
  ],
  views: [
    { name: 'week', label: msg`Last 7 days`, search: { from: WEEK } },
    { name: 'unreviewed', label: msg`Not reviewed`, search: { mark: 'none' } },
  ],
  filters: [
    {
      kind: 'search',
      name: 'search',
      label: msg`Search`,
      placeholder: msg`Number, name or reference`,
      useSuggestions: getSuggestions('messages'),
    },
    GROUP_FILTER,
    wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: MESSAGE_TYPES }),
    DEVICE_USER_FILTER,
    { kind: 'text', name: 'number', label: msg`Number`, placeholder: msg`Number, as recorded` },
    DEVICE_FILTER,
    wordFilter('mark', msg`Mark`, { none: msg`Not reviewed` }, { isSingle: true }),
  ],
  dates: [{ value: 'payload_time', label: msg`Last message` }],
  noMatch: msg`No conversations match`,
  empty: { title: noneYet, description: comes },
  getKey: (row) => row.last_payload_reference,
  rowTitle: threadTitle,
  rowKeys: { r: markKey(({ markConversations }, keys) => markConversations({ keys })) },
  pageKeys: { z: markKey(({ undoMarks }) => undoMarks()) },
  BulkActions: lazy(() => withTexts('lazy', import('./actions/bulk-conversations.tsx'))),
  actsOnMatching: true,
  detail: (row) => getDetail('messages', row.last_payload_reference),
  Preview,
  beforeOpen: ({ keys, ...shown }) =>
    setReviewQueue({ ...shown, references: keys, service: 'messages', isOfConversations: true }),
})
