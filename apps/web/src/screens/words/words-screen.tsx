import type { PayloadType, SearchTotal, Total } from '@custodia/contract'
import { interpretWords, marksIn } from '@custodia/domain/words'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Anchor, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { commentsApi } from '../../api/payload-api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { ListView } from '../../components/lists/list-view.tsx'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { MarkedText, setCurrentSearch, useCurrentSearch } from '../../components/marked-text.tsx'
import { searchList } from '../payloads/search-list.tsx'
import { detailOf, screenService, WORDS_PAGE } from '../payloads/services.ts'
import { Time } from '../../ui/time.tsx'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { ListFailure } from '../../components/lists/list-states.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import classes from './words-screen.module.css'

type Where = 'payloads' | 'comments'

/** `/dashboard/services/words`: searches texts of messages, notes and comments. The search text stays out of the address. */
export function WordsScreen() {
  const { t } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const raw = useSearch({ strict: false })
  // Restores the search on return.
  const query = useCurrentSearch()
  const [typed, setTyped] = useState(query?.words ?? '')
  const field = useRef<HTMLInputElement>(null)
  const mayRead = may('payloads.snippets:read')
  const list = useMemo(() => searchList(query, mayRead), [query, mayRead])
  const search = useMemo(() => list.parse(raw), [list, raw])
  const where: Where = raw.where === 'comments' && may('comments:list') ? 'comments' : 'payloads'
  const isNew = query === undefined
  useEffect(() => {
    // A return goes to the row last seen.
    if (isNew) field.current?.focus({ preventScroll: true })
    // oxlint-disable-next-line react/exhaustive-deps -- on arrival only
  }, [])
  const form = <SearchForm field={field} typed={typed} setTyped={setTyped} />
  return (
    <div className={classes.page}>
      <PageHeader
        title={t({ context: 'page', message: 'Search' })}
        aside={
          may('comments:list') && (
            <SegmentedControl
              size="xs"
              aria-label={t`Where`}
              value={where}
              onChange={(next) =>
                void navigate({
                  to: WORDS_PAGE,
                  search: next === 'comments' ? { where: 'comments' } : {},
                  replace: true,
                })
              }
              data={[
                { value: 'payloads', label: t`Messages and notes` },
                { value: 'comments', label: t`Comments` },
              ]}
            />
          )
        }
        actions={where === 'payloads' && list.primaryAction}
      />
      {where === 'comments' ? (
        <Stack gap="sm">
          {form}
          <SlashKey field={field} />
          {query === undefined || query.words === '' ? (
            <Text c="dimmed">
              <Trans>Case and accents are ignored, and so are very common words.</Trans>
            </Text>
          ) : (
            <FoundComments {...query} />
          )}
        </Stack>
      ) : (
        <ListView
          list={list}
          search={search}
          hasPageKeys
          head={(total) => (
            <Stack gap={10} className={classes.head}>
              {form}
              <TypeCounts total={total} search={search} address={list.address} />
            </Stack>
          )}
        />
      )}
    </div>
  )
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
    const meant = interpretWords(typed)
    setCurrentSearch(typed.trim(), 'fault' in meant ? undefined : (text) => marksIn(text, meant))
  }
  return (
    <form onSubmit={search}>
      <Group gap="sm" wrap="nowrap">
        <TextInput
          ref={field}
          flex="1 1 auto"
          aria-label={t`Search text`}
          placeholder={t`Finds all words; use "quotes" for phrases, contr* for beginnings`}
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

/** The key of lists that goes to the search field, where no list is. */
function SlashKey({ field }: { field: RefObject<HTMLInputElement | null> }) {
  useSingleKeys({ '/': () => field.current?.focus() })
  return null
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
  const { by_type, is_capped, is_complete } = (total ?? {}) as Partial<SearchTotal>
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
  return (
    <>
      {counts.length > 0 && (
        <nav aria-label={t`Results by type`} className={classes.types}>
          {one(undefined, t`All types`, all)}
          {counts.map(([type, count]) => one(type, i18n._(PAYLOAD_TYPE_WORDS[type]), count))}
        </nav>
      )}
      {is_complete === false && (
        <Alert color="blue" icon={<Icon name="info" />} p="xs">
          <Trans>Indexing is in progress: more results may appear later.</Trans>
        </Alert>
      )}
    </>
  )
}

/** Matching comments. */
function FoundComments({ words, nth }: { words: string; nth: number }) {
  const query = useInfiniteQuery({
    queryKey: keyOf('searchComments', words, nth),
    queryFn: ({ pageParam: last_key, signal }) =>
      commentsApi.searchComments({ query: { ...(last_key && { last_key }) }, body: { words } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { silent: true },
  })
  return (
    <FoundList query={query}>
      {(row) => {
        const service = screenService(row.payload_type)
        const t = row.comment_duration?.start_time
        const to = service && {
          ...detailOf(service, row.payload_reference),
          search: t === undefined ? {} : { t },
        }
        return {
          key: row.comment_id,
          content: (
            <>
              <Text dir="auto">
                <MarkedText text={(row.comment_body ?? '').slice(0, 300)} />
              </Text>
              <Text size="sm" c="dimmed">
                {to ? (
                  <Anchor inherit renderRoot={(props) => <Link {...props} {...(to as object)} />}>
                    {row.raised_by}
                  </Anchor>
                ) : (
                  row.raised_by
                )}
                {' · '}
                <Time at={row.raised_at} style="second" /> · {row.group}
              </Text>
            </>
          ),
        }
      }}
    </FoundList>
  )
}

interface FoundPage<Row> {
  data: Row[]
  last_key?: string | undefined
  is_complete: boolean
}

const COMMENTS = { permission: 'comments:list', isFailureInPlace: true }

/** Results of a content search by page, or the error. */
function FoundList<Row>(props: {
  query: {
    data: InfiniteData<FoundPage<Row>> | undefined
    error: unknown
    refetch: () => unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  children: (row: Row) => { key: string; content: ReactNode }
}) {
  const { t } = useLingui()
  const { query } = props
  if (query.error !== null && query.data === undefined)
    return <ListFailure error={query.error} list={COMMENTS} onRetry={() => void query.refetch()} />
  return (
    <Loaded query={query} rows={4}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data)
        const isComplete = pages.at(-1)?.is_complete ?? true
        return (
          <Stack>
            {!isComplete && (
              <Alert color="blue" icon={<Icon name="info" />} p="sm">
                <Trans>Indexing is in progress: more results may appear later.</Trans>
              </Alert>
            )}
            {rows.length === 0 && !query.hasNextPage ? (
              <EmptyState
                icon="search"
                title={t`No results for these words`}
                description={t`The search covers your groups and permissions. Try fewer words, or a word beginning followed by *.`}
              />
            ) : (
              <ul style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label={t`Result`}>
                {rows.map(props.children).map(({ key, content }) => (
                  <Paper component="li" key={key} p="sm" mb="xs" withBorder>
                    {content}
                  </Paper>
                ))}
              </ul>
            )}
            {query.hasNextPage && (
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                <Trans>Search older recordings</Trans>
              </Button>
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}
