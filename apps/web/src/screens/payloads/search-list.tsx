import {
  BATCH_LIMIT,
  LIST_EXTRAS,
  PayloadReference,
  PAYLOAD_TYPES,
  type PayloadSummary,
  type Snippet,
} from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { useRouter } from '@tanstack/react-router'
import { lazy } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { getKey } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { FaintText, HELD_FILTER } from '../../components/cells.tsx'
import type { QueryOf } from '../../components/lists/call-search.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListFilter } from '../../components/lists/list-definition.ts'
import { type ListSearch, one, several } from '../../components/lists/list-search.ts'
import { type CurrentSearch, MarkedText } from '../../components/marked-text.tsx'
import { GROUP_FILTER } from '../../components/record-filters.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { visible } from '../../ui/visible.ts'
import { ExportButton } from './actions/export-button.tsx'
import { MARK_KEYS, VIEWS } from './export-data-button.tsx'
import { othersText } from './party-text.ts'
import { usePassage } from './passages.ts'
import { PAYLOAD_DATES } from './payload-choices.ts'
import { payloadColumns, payloadCsvAlways, userColumn } from './payload-columns.ts'
import { getRows } from './queries.ts'
import { setReviewQueue } from './review-queue.ts'
import { nothing, RECORDING_FILTERS } from './search-filters.ts'
import { getDetail, screenService, SERVICES, WORDS_PAGE } from './services.ts'
import classes from './payload-cells.module.css'

const TYPES = PAYLOAD_TYPES.filter((type) => type !== 'Call' && type !== 'AbortedCall')
const [RECORDED] = PAYLOAD_DATES
/** A time in the address, in epoch seconds. */
const Seconds = z.string().check(z.regex(/^\d{1,12}$/))
const column = getColumns<PayloadSummary>()

const WHO = column.drawn('who', msg`Who`, WhoCell, (row) => row.device_user_reference, {
  width: 170,
  grow: 1,
  stacked: 'lead',
  csv: [],
})
/** A stacked row has no room for it. */
const USER = userColumn<PayloadSummary>()
/** A file has no content: exports have it. */
const PASSAGE = column.drawn('passage', msg`Passage`, PassageCell, () => null, {
  width: 230,
  grow: 4,
  stacked: 'line',
  csv: [],
})

const FILTERS: readonly ListFilter<keyof QueryOf<'searchPayloads'>>[] = [
  ...RECORDING_FILTERS,
  GROUP_FILTER,
  wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: TYPES }),
  HELD_FILTER,
]

/**
 * Results of a content search, as a list. Each search is another list; its text stays out of addresses.
 * @param hasPassages whether the user may read passages
 */
export function searchList(search: CurrentSearch | undefined, hasPassages = true) {
  const words = search?.words ?? ''
  const name = `words ${search?.nth ?? 0}`
  const list = defineList({
    name,
    kind: 'words',
    call: 'searchPayloads',
    api,
    ask: ({ query }, options) =>
      words === '' ? nothing(query.type) : api.searchPayloads({ query, body: { words } }, options),
    to: WORDS_PAGE,
    key: PayloadReference,
    refine: () => ({ include: [...LIST_EXTRAS] }),
    title: msg`Result`,
    icon: 'search',
    noMatch: words === '' ? msg`Search messages, notes and file names` : msg`No results for these words`,
    empty:
      words === ''
        ? {
            title: msg`Search messages, notes and file names`,
            description: msg`Case and accents are ignored, and so are very common words. Search words are never logged; the passages that you read are.`,
          }
        : {
            title: msg`No results for these words`,
            description: msg`The search covers your groups and permissions. Try fewer words, or a word beginning followed by *.`,
          },
    columns: [
      ...payloadColumns(['time']),
      WHO,
      ...(hasPassages ? [PASSAGE] : []),
      ...payloadColumns(['review', 'type']),
      USER,
      ...payloadColumns([
        'flags',
        ['group', { isOptional: true }],
        ['state', { isOptional: true }],
        ['device', { isOptional: true }],
        ['reference', { isOptional: true }],
      ]),
    ],
    ...(words !== '' && { words, keysSince: (from) => keysSince(name, from) }),
    ...(hasPassages && { isTall: true }),
    own: { processed_from: one(Seconds), processed_to: one(Seconds), except: several(PayloadReference) },
    actsOnMatching: true,
    views: VIEWS.filter(({ name: view }) => ['week', 'unreviewed', 'flagged'].includes(view)),
    filters: FILTERS,
    dates: [RECORDED],
    csvAlways: payloadCsvAlways,
    getKey: (row) => row.payload_reference,
    rowTitle: (row, i18n) => {
      const service = screenService(row.payload_type)
      return service ? SERVICES[service].getShortName(row, i18n) : row.payload_reference
    },
    ...MARK_KEYS,
    BulkActions: lazy(() => withTexts('lazy', import('./actions/bulk-acts.tsx'))),
    detail: (row, shown) => {
      const service = screenService(row.payload_type)
      return service
        ? getDetail(service, row.payload_reference)
        : { to: WORDS_PAGE, search: { ...shown, preview: row.payload_reference } as never }
    },
    Preview: lazy(() => import('./payload-preview.tsx')),
    beforeOpen: ({ keys, ...shown }) =>
      setReviewQueue({ ...shown, references: keys, service: 'words', name }),
    // Each search is audited.
    isUnchanged: true,
    isFailureInPlace: true,
  })
  return words === '' ? list : { ...list, primaryAction: <ExportResultsButton words={words} {...list} /> }
}

/** The loaded results of this list that were processed since then. */
const keysSince = (name: string, processed_from: number): readonly string[] =>
  queryClient
    .getQueriesData<unknown>({ queryKey: getKey('searchPayloads', name) })
    .flatMap(([, data]) => getRows<PayloadSummary>(data))
    .filter(({ processed_at }) => (processed_at ?? 0) >= processed_from)
    .map(({ payload_reference }) => payload_reference)
    .slice(0, BATCH_LIMIT)

/** Exports the results with their data, as filtered. */
function ExportResultsButton({
  words,
  parse,
  getQuery,
}: {
  words: string
  parse: (raw: object) => ListSearch
  getQuery: (search: ListSearch, now: number) => object
}) {
  const router = useRouter()
  return (
    <ExportButton
      getChosen={() => ({ words, query: getQuery(parse(router.latestLocation.search), Date.now()) })}
    />
  )
}

/** The other party of a result, or its device user. */
function WhoCell({ row }: { row: PayloadSummary }) {
  const { i18n } = useLingui()
  const who = visible(othersText(row, i18n))
  return (
    <span title={who} className={classes.name}>
      {who}
    </span>
  )
}

/** Where a passage comes from, unless it is the text of a message. */
const PLACES = { text: undefined, file: msg`File name`, note: msg`Note` } as const satisfies Record<
  NonNullable<Snippet['passage']>['place'],
  MessageDescriptor | undefined
>

/** The passage with the words, on two lines; the whole of it in the tooltip. */
function PassageCell({ row }: { row: PayloadSummary }) {
  const { i18n } = useLingui()
  const { data, isPending } = usePassage(row.payload_reference)
  if (isPending) return <span className={classes.quiet}>…</span>
  if (!data) return <FaintText word={msg`Open it to read it`} />
  const place = PLACES[data.place]
  return (
    <span title={visible(data.text)} dir="auto" className={classes.passage}>
      {place && <span className={classes.quiet}>{i18n._(place)}: </span>}
      <MarkedText text={visible(data.text)} />
    </span>
  )
}
