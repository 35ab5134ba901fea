import { commentEndpoints, PAYLOAD_TYPES, type PayloadComment, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { commentsApi } from '../../api/payload-api.ts'
import { partText } from '../payloads/comments/queries.ts'
import { personPicker } from '../../components/pickers.ts'
import { columnsOf } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { detailOf, screenService } from '../payloads/services.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord, wordOptions } from '../../components/words/spec-word.tsx'
import { useMay } from '../../api/use-profile.ts'
import { GROUP_FILTER } from '../../components/record-filters.ts'

const column = columnsOf<PayloadComment>()

const useShown = wordOptions(
  {
    open: msg({ context: 'comment', message: 'Open' }),
    closed: msg({ context: 'comment', message: 'Closed' }),
    all: msg`Open and closed`,
  },
  ['open', 'closed', 'all'],
)

const comments = defineList({
  name: 'comments',
  call: 'listComments',
  row: commentEndpoints.listComments,
  ask: commentsApi.listComments,
  to: '/dashboard/services/comments',
  key: Ulid,
  title: msg`Comments`,
  icon: 'message',
  noMatch: msg`No comments match`,
  empty: {
    title: msg`No comments yet`,
    description: msg`Comments appear here for your groups and recording types.`,
  },
  columns: [
    column.moment('raised_at', msg`Commented at`, (row) => row.raised_at, { width: 154, stacked: 'end' }),
    column.text('author', msg`Author`, (row) => row.raised_by, { width: 110, grow: 1, stacked: 'line' }),
    column.drawn('comment', msg`Comment`, BodyCell, (row) => row.comment_body, {
      width: 240,
      grow: 4,
      stacked: 'lead',
    }),
    column.text('part', msg`Part`, (row) => row.comment_duration && partText(row.comment_duration), {
      width: 110,
      stacked: 'line',
    }),
    column.drawn('type', msg`Type`, TypeCell, (row) => row.payload_type, { width: 100 }),
    column.text('user', msg`Device user`, (row) => row.device_user_reference, { width: 120, grow: 1 }),
    column.group('group', msg`Group`, (row) => row.group, { width: 104, grow: 1 }),
    column.moment('payload_time', msg({ context: 'when', message: 'Recorded' }), (row) => row.payload_time, {
      width: 154,
      isOptional: true,
    }),
    column.mark('closed', msg({ context: 'comment', message: 'Closed' }), (row) => row.is_closed, {
      width: 110,
      word: msg({ context: 'comment', message: 'Closed' }),
      icon: 'archive',
      color: 'gray',
    }),
    column.count('version', msg`Version`, (row) => row.comment_version, { width: 80, isOptional: true }),
    column.reference('reference', msg`Reference`, (row) => row.payload_reference, {
      width: 104,
      isOptional: true,
    }),
  ],
  filters: [
    { kind: 'pick', name: 'authors', label: msg`Author`, picker: personPicker, isFirst: true },
    GROUP_FILTER,
    {
      kind: 'choice',
      name: 'payload_types',
      label: msg`Type`,
      useOptions: wordOptions(PAYLOAD_TYPE_WORDS, PAYLOAD_TYPES),
    },
    { kind: 'choice', name: 'show', isSingle: true, label: msg`State`, useOptions: useShown },
  ],
  dates: [{ value: 'raised_at', label: msg`Commented at` }],
  keyOf: (row) => row.comment_id,
  rowTitle: (row) => row.raised_by,
  detail: (row, search) => {
    const service = screenService(row.payload_type)
    if (service === undefined) return { to: '/dashboard/services/comments', search: search as never }
    const t = row.comment_duration?.start_time
    return { ...detailOf(service, row.payload_reference), search: (t === undefined ? {} : { t }) as never }
  },
})

/** Without the history right there are open comments only, and no filter. */
const ofReviewers = { ...comments, filters: comments.filters.filter(({ name }) => name !== 'show') }

/** `/dashboard/services/comments`: comments on recordings that the user may see. */
export const CommentsList = () => (
  <ListPage list={useMay()('payloads.comments:history') ? comments : ofReviewers} />
)

function BodyCell({ row: { comment_body } }: { row: PayloadComment }) {
  const { t } = useLingui()
  const stated = comment_body ?? t`Damaged: unreadable`
  return (
    <span title={stated.slice(0, 1000)} dir="auto">
      {stated.slice(0, 300)}
    </span>
  )
}

function TypeCell({ row }: { row: PayloadComment }) {
  return <SpecWord value={row.payload_type} words={PAYLOAD_TYPE_WORDS} />
}
