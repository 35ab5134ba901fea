import { PAYLOAD_TYPES, type PayloadComment, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { commentsApi } from '../../../api/payload-api.ts'
import type { QueryOf } from '../../../components/lists/call-search.ts'
import { getColumns } from '../../../components/lists/columns.tsx'
import { defineList } from '../../../components/lists/define-list.tsx'
import type { LinkTarget, ListFilter } from '../../../components/lists/list-definition.ts'
import type { ListSearch } from '../../../components/lists/list-search.ts'
import { type CurrentSearch, MarkedText } from '../../../components/marked-text.tsx'
import { personPicker } from '../../../components/pickers.ts'
import { GROUP_FILTER } from '../../../components/record-filters.ts'
import { PAYLOAD_TYPE_WORDS } from '../../../components/words/payload-words.ts'
import { SpecWord, wordOptions, wordFilter } from '../../../components/words/spec-word.tsx'
import { authorName, visible } from '../../../ui/visible.ts'
import { userColumn } from '../payload-columns.ts'
import { nothing, RECORDING_FILTERS } from '../search-filters.ts'
import { getDetail, screenService, WORDS_PAGE } from '../services.ts'
import { partText } from './queries.ts'

const column = getColumns<PayloadComment>()

const useShown = wordOptions(
  {
    open: msg({ context: 'comment', message: 'Open' }),
    closed: msg({ context: 'comment', message: 'Closed' }),
    all: msg`Open and closed`,
  },
  ['open', 'closed', 'all'],
)

const COLUMNS = [
  column.moment('raised_at', msg`Commented at`, { stacked: 'end' }),
  column.text('author', msg`Author`, (row) => authorName(row, 'raised_by'), {
    width: 110,
    grow: 1,
    stacked: 'line',
  }),
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
  userColumn<PayloadComment>(),
  column.group('group', msg`Group`, { width: 104, grow: 1 }),
  column.moment('payload_time', msg({ context: 'when', message: 'Recorded' }), { isOptional: true }),
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
]

type Filter = ListFilter<keyof QueryOf<'listComments'> & keyof QueryOf<'searchComments'>>
const FILTERS: readonly Filter[] = [
  { kind: 'pick', name: 'authors', label: msg`Author`, picker: personPicker, isFirst: true },
  GROUP_FILTER,
  wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: PAYLOAD_TYPES }),
  { kind: 'choice', name: 'show', isSingle: true, label: msg`State`, useOptions: useShown },
]
/** Without the history right there are open comments only. */
const OPEN_ONLY = FILTERS.filter(({ name }) => name !== 'show')

const SHARED = {
  isTall: 'stacked' as const,
  key: Ulid,
  icon: 'message' as const,
  columns: COLUMNS,
  dates: [{ value: 'raised_at', label: msg`Commented at` }],
  getKey: (row: PayloadComment) => row.comment_id,
  rowTitle: (row: PayloadComment) => authorName(row, 'raised_by'),
}

/** The recording of a comment, at its moment; the list where no page shows the recording. */
const detailIn =
  (to: LinkTarget['to']) =>
  (row: PayloadComment, search: ListSearch): LinkTarget => {
    const service = screenService(row.payload_type)
    if (service === undefined) return { to, search: search as never }
    const t = row.comment_duration?.start_time
    return { ...getDetail(service, row.payload_reference), search: (t === undefined ? {} : { t }) as never }
  }

/** Comments on recordings. */
export const comments = defineList({
  ...SHARED,
  name: 'comments',
  call: 'listComments',
  api: commentsApi,
  to: '/dashboard/services/comments',
  title: msg`Comments`,
  noMatch: msg`No comments match`,
  empty: {
    title: msg`No comments yet`,
    description: msg`Comments appear here for your groups and recording types.`,
  },
  filters: FILTERS,
  detail: detailIn('/dashboard/services/comments'),
})

/** The same without closed ones. */
export const commentsOfReviewers = { ...comments, filters: OPEN_ONLY }

/**
 * Comments that a content search found, as a list. Each search is another list; its text stays out of addresses.
 * @param hasHistory whether the user may read closed comments
 */
export function commentSearchList(search: CurrentSearch | undefined, hasHistory: boolean) {
  const words = search?.words ?? ''
  return defineList({
    ...SHARED,
    name: `comments with words ${search?.nth ?? 0}`,
    kind: 'comments-with-words',
    call: 'searchComments',
    api: commentsApi,
    ask: ({ query }, options) =>
      words === '' ? nothing(query.type) : commentsApi.searchComments({ query, body: { words } }, options),
    to: WORDS_PAGE,
    part: { where: 'comments' },
    title: msg`Result`,
    noMatch: words === '' ? msg`Search comments` : msg`No results for these words`,
    empty:
      words === ''
        ? {
            title: msg`Search comments`,
            description: msg`Case and accents are ignored, and so are very common words.`,
          }
        : {
            title: msg`No results for these words`,
            description: msg`The search covers your groups and permissions. Try fewer words, or a word beginning followed by *.`,
          },
    filters: [...RECORDING_FILTERS, ...(hasHistory ? FILTERS : OPEN_ONLY)],
    detail: detailIn(WORDS_PAGE),
    // Each search is audited.
    isUnchanged: true,
    isFailureInPlace: true,
  })
}

function BodyCell({ row: { comment_body } }: { row: PayloadComment }) {
  const { t } = useLingui()
  const stated = comment_body ?? t`Damaged: unreadable`
  return (
    <span title={stated.slice(0, 1000)} dir="auto">
      <MarkedText text={visible(stated.slice(0, 300))} />
    </span>
  )
}

function TypeCell({ row }: { row: PayloadComment }) {
  return <SpecWord value={row.payload_type} words={PAYLOAD_TYPE_WORDS} />
}
