import { Trans } from '@lingui/react/macro'
import { Button, Group, TextInput } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { QueryResult } from './query-result.tsx'
import { EmptyState } from './states.tsx'

/** A short list with client-side search: field, matching rows, empty texts. */
export function SearchableList<Row>(props: {
  query: { data: readonly Row[] | undefined; error: unknown; refetch: () => unknown }
  lines?: number | undefined
  /** Accessible label of the field. */
  label: string
  placeholder: string
  search: string
  onSearch: (search: string) => void
  find: (rows: readonly Row[], search: string) => readonly Row[]
  /** Text without any row. */
  empty: ComponentProps<typeof EmptyState>
  /** Title without a match. */
  noMatch: string
  /** Next to the field. */
  extra?: ReactNode
  children: (found: readonly Row[]) => ReactNode
}) {
  const { query, lines, search, onSearch, find } = props
  return (
    <>
      <Group p="sm" gap="sm">
        <TextInput
          w={340}
          maw="100%"
          aria-label={props.label}
          placeholder={props.placeholder}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
        {props.extra}
      </Group>
      <QueryResult query={query} {...(lines === undefined ? {} : { rows: lines })}>
        {(all) => {
          if (all.length === 0) return <EmptyState {...props.empty} />
          const found = find(all, search)
          if (found.length > 0) return props.children(found)
          return (
            <EmptyState
              icon="search"
              title={props.noMatch}
              action={
                <Button variant="default" onClick={() => onSearch('')}>
                  <Trans>Clear the search</Trans>
                </Button>
              }
            />
          )
        }}
      </QueryResult>
    </>
  )
}
