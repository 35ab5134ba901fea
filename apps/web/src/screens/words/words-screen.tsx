import { interpretWords, marksIn } from '@custodia/domain/words'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { commentsApi } from '../../api/payload-api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { MarkedText, setCurrentSearch, useCurrentSearch } from '../../components/marked-text.tsx'
import { detailOf, screenService, SERVICES } from '../payloads/services.ts'
import { Time } from '../../ui/time.tsx'
import { FoundList } from './found-list.tsx'
import { api } from '../../api/api.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'

type Where = 'payloads' | 'comments'

/** `/dashboard/services/words`: searches texts of messages, notes and comments. The search text stays out of the address. */
export function WordsScreen() {
  const { t } = useLingui()
  const may = useMay()
  // Restores the search on return.
  const query = useCurrentSearch()
  const [typed, setTyped] = useState(query?.words ?? '')
  const [where, setWhere] = useState<Where>('payloads')
  const search = (event: FormEvent) => {
    event.preventDefault()
    const meant = interpretWords(typed)
    setCurrentSearch(typed.trim(), 'fault' in meant ? undefined : (text) => marksIn(text, meant))
  }
  return (
    <>
      <PageHeader
        title={t({ context: 'page', message: 'Search' })}
        description={t`Search messages, notes and comments. Search words are never logged.`}
      />
      <Paper p="md" mb="md">
        <form onSubmit={search}>
          <Stack gap="sm">
            <Group align="end" gap="sm">
              <TextInput
                flex="1 1 16rem"
                label={t`Search text`}
                description={t`Finds all words; use "quotes" for phrases, contr* for beginnings`}
                leftSection={<Icon name="search" size={16} />}
                value={typed}
                maxLength={255}
                autoComplete="off"
                data-autofocus
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
              <Button type="submit">
                <Trans>Search</Trans>
              </Button>
            </Group>
            {may('comments:list') && (
              <SegmentedControl
                aria-label={t`Where`}
                value={where}
                onChange={(next) => setWhere(next as Where)}
                data={[
                  { value: 'payloads', label: t`Messages and notes` },
                  { value: 'comments', label: t`Comments` },
                ]}
              />
            )}
          </Stack>
        </form>
      </Paper>
      {query === undefined || query.words === '' ? (
        <Text c="dimmed">
          <Trans>Case and accents are ignored, and so are very common words.</Trans>
        </Text>
      ) : where === 'payloads' ? (
        <FoundPayloads {...query} />
      ) : (
        <FoundComments {...query} />
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

/** Messages and recordings with matching texts. */
function FoundPayloads({ words, nth }: { words: string; nth: number }) {
  const { i18n } = useLingui()
  const query = useInfiniteQuery({
    queryKey: keyOf('searchPayloads', words, nth),
    queryFn: ({ pageParam: last_key, signal }) =>
      api.searchPayloads({ query: { ...(last_key && { last_key }) }, body: { words } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    // Restores the results on return.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { silent: true },
  })
  return (
    <FoundList query={query}>
      {(row) => {
        const service = screenService(row.payload_type)
        const name = service ? SERVICES[service].shortNameOf(row, i18n) : row.payload_reference
        return {
          key: row.payload_reference,
          content: (
            <>
              {service && 'detail' in SERVICES[service] ? (
                <Anchor
                  renderRoot={(props) => (
                    <Link {...props} {...(detailOf(service, row.payload_reference) as object)} />
                  )}
                >
                  {name}
                </Anchor>
              ) : (
                <Text span>{name}</Text>
              )}
              <Text size="sm" c="dimmed">
                {i18n._(PAYLOAD_TYPE_WORDS[row.payload_type])} · <Time at={row.payload_time} style="second" />
                {row.device_user_reference !== null && ` · ${row.device_user_reference}`}
                {row.group !== null && ` · ${row.group}`}
              </Text>
            </>
          ),
        }
      }}
    </FoundList>
  )
}
