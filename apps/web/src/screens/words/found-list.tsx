import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Paper, Stack } from '@mantine/core'
import type { InfiniteData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { failureText } from '../../api/failure-text.ts'
import { EmptyState } from '../../ui/states.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'

interface FoundPage<Row> {
  data: Row[]
  last_key?: string | undefined
  is_complete: boolean
}

/** Results of a content search by page, or the error. */
export function FoundList<Row>(props: {
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
  const { t, i18n } = useLingui()
  const { query } = props
  if (query.error !== null && query.data === undefined)
    return (
      <Alert color="yellow" icon={<Icon name="info" />} role="alert">
        {failureText(query.error, i18n)}
      </Alert>
    )
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
