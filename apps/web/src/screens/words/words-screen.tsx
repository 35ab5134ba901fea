import type { PayloadType, SearchTotal, Total } from '@custodia/contract'
import { interpretWords, marksIn } from '@custodia/domain/words'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { useListMemory } from '../../components/lists/list-memory.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { ListView } from '../../components/lists/list-view.tsx'
import { SAVED_SEARCHES } from '../../components/lists/memory-key.ts'
import { readSavedViews, withoutNew } from '../../components/lists/saved-views.ts'
import { currentSearch, setCurrentSearch, useCurrentSearch } from '../../components/marked-text.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { commentSearchList } from '../payloads/comments/comment-lists.tsx'
import { searchList } from '../payloads/search-list.tsx'
import { WORDS_PAGE } from '../payloads/services.ts'
import classes from './words-screen.module.css'

type SearchScope = 'payloads' | 'comments'

const tabsAt = (where: SearchScope) =>
  [
    { to: WORDS_PAGE, search: {}, label: msg`Messages and notes`, isShown: where === 'payloads' },
    {
      to: WORDS_PAGE,
      search: { where: 'comments' } as never,
      label: msg`Comments`,
      isShown: where === 'comments',
    },
  ] as const

/** `/dashboard/services/words`: searches texts of messages, notes and comments. The search text stays out of the address. */
export function WordsScreen() {
  const { t } = useLingui()
  const may = useMay()
  const raw = useSearch({ strict: false })
  // Restores the search on return.
  const query = useCurrentSearch()
  const [typed, setTyped] = useState(query?.words ?? '')
  const field = useRef<HTMLInputElement>(null)
  const where: SearchScope = raw.where === 'comments' && may('comments:list') ? 'comments' : 'payloads'
  const [mayRead, mayReadClosed] = [may('payloads.snippets:read'), may('payloads.comments:history')]
  const list = useMemo(() => searchList(query, mayRead), [query, mayRead])
  const comments = useMemo(() => commentSearchList(query, mayReadClosed), [query, mayReadClosed])
  const search = useMemo(
    () => (where === 'comments' ? comments : list).parse(raw),
    [where, comments, list, raw],
  )
  useSavedSearch(search, setTyped)
  useFieldOnArrival(field)
  const head = (total: Total | undefined) => (
    <Stack gap={10} className={classes.head}>
      <SearchForm field={field} typed={typed} setTyped={setTyped} />
      {where === 'payloads' && <TypeCounts total={total} search={search} address={list.address} />}
      <IndexProgress total={total} />
      {typeof search.processed_from === 'string' && (
        <NewHitsNotice from={Number(search.processed_from)} address={list.address(withoutNew(search))} />
      )}
    </Stack>
  )
  return (
    <div className={classes.page}>
      <PageTabs
        label={msg({ context: 'page', message: 'Search' })}
        tabs={may('comments:list') ? tabsAt(where) : []}
      >
        <PageHeader
          title={t({ context: 'page', message: 'Search' })}
          actions={where === 'payloads' && list.primaryAction}
        />
      </PageTabs>
      {where === 'comments' ? (
        <ListView list={comments} search={search} hasPageKeys head={head} />
      ) : (
        <ListView list={list} search={search} hasPageKeys head={head} />
      )}
    </div>
  )
}

/** History entries that have shown this page. */
const seenEntries = new Set<string | undefined>()

/** Focuses the search field when the user chooses the page, also while it shows. A return leads to the row last seen. */
function useFieldOnArrival(field: RefObject<HTMLInputElement | null>): void {
  const router = useRouter()
  // Before the paint: keys typed meanwhile go to the field.
  useLayoutEffect(() => {
    const arrive = (isChosen = false) => {
      const entry = router.latestLocation.state.__TSR_key
      if (isChosen && !seenEntries.has(entry)) {
        field.current?.focus({ preventScroll: true })
        field.current?.select()
      }
      seenEntries.add(entry)
    }
    arrive(true)
    return router.subscribe('onResolved', ({ toLocation }) => arrive(toLocation.state.isChosen))
  }, [router, field])
}

/** Searches for the words of the saved search in the address. Its new results in the address are seen. */
function useSavedSearch({ view, processed_to }: ListSearch, setTyped: (typed: string) => void): void {
  const [views, setViews] = useListMemory(SAVED_SEARCHES, 'views', readSavedViews)
  const words = views.find(({ id }) => id === view)?.words
  useEffect(() => {
    if (words === undefined || words === currentSearch()?.words) return
    searchFor(words)
    setTyped(words)
  }, [view, words, setTyped])
  const seenUntil = Number(processed_to ?? 0)
  useEffect(() => {
    if (views.some(({ id, new_from }) => id === view && new_from !== undefined && new_from < seenUntil))
      setViews(views.map((each) => (each.id === view ? { ...each, new_from: seenUntil } : each)))
  }, [views, setViews, view, seenUntil])
}

function searchFor(typed: string): void {
  const meant = interpretWords(typed)
  setCurrentSearch(typed.trim(), 'fault' in meant ? undefined : (text) => marksIn(text, meant))
}

/** Search field. Enter searches and goes to the results. */
function SearchForm({
  field,
  typed,
  setTyped,
}: {
  field: RefObject<HTMLInputElement | null>
  typed: string
  setTyped: (typed: string) => void
}) {
  const { t } = useLingui()
  const search = (event: FormEvent) => {
    event.preventDefault()
    searchFor(typed)
  }
  return (
    <form onSubmit={search}>
      <Group gap="sm" wrap="nowrap">
        <TextInput
          ref={field}
          flex="1 1 auto"
          aria-label={t`Search text`}
          placeholder={t`Words, "a phrase", contr*`}
          leftSection={<Icon name="search" size={16} />}
          value={typed}
          maxLength={255}
          autoComplete="off"
          data-list-search
          data-submits
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit">
          <Trans>Search</Trans>
        </Button>
      </Group>
    </form>
  )
}

/** Results of each type, as switches of the type filter. */
function TypeCounts({
  total,
  search,
  address,
}: {
  total: Total | undefined
  search: ListSearch
  address: (search: ListSearch) => LinkTarget
}) {
  const { t, i18n } = useLingui()
  const { by_type, is_capped } = (total ?? {}) as Partial<SearchTotal>
  const counts = Object.entries(by_type ?? {}) as [PayloadType, number][]
  const types = search.payload_types
  const chosen = Array.isArray(types) && types.length === 1 ? String(types[0]) : undefined
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  const more = is_capped ? '+' : ''
  const one = (type: PayloadType | undefined, label: string, count: number) => (
    <Link
      key={type ?? ''}
      {...address({ ...search, payload_types: type && [type], preview: undefined })}
      className={classes.type}
      aria-current={chosen === type ? 'true' : undefined}
      activeOptions={{ includeSearch: true, exact: true }}
    >
      {label} <span className="tabular">{`${i18n.number(count)}${more}`}</span>
    </Link>
  )
  // Its place is kept until the results are counted.
  if (counts.length === 0) return <div className={classes.types} />
  return (
    <nav aria-label={t`Results by type`} className={classes.types}>
      {one(undefined, t`All types`, all)}
      {counts.map(([type, count]) => one(type, i18n._(PAYLOAD_TYPE_WORDS[type]), count))}
    </nav>
  )
}

/** Says that the index is not complete yet. */
function IndexProgress({ total }: { total: Partial<SearchTotal> | undefined }) {
  if (total?.is_complete !== false) return null
  return (
    <Alert color="blue" icon={<Icon name="info" />} p="xs">
      <Trans>Indexing is in progress: more results may appear later.</Trans>
    </Alert>
  )
}

/** Says that only new results are shown, with a link to all of them. */
function NewHitsNotice({ from, address }: { from: number; address: LinkTarget }) {
  return (
    <Alert color="blue" icon={<Icon name="info" />} p="xs">
      <Trans>
        New hits only, since <Time at={from} style="minute" />.
      </Trans>{' '}
      <LinkAnchor inherit {...address}>
        <Trans>Show all hits</Trans>
      </LinkAnchor>
    </Alert>
  )
}
