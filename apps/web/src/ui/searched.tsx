import { Trans } from '@lingui/react/macro'
import { Box, Button, TextInput } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'
import { Icon } from './icon.tsx'
import { Loaded } from './loaded.tsx'

/** All rows of a short list, searched where they are: a field, what passes, and words for when there is nothing. */
export function Searched<Row>(props: {
  query: { data: readonly Row[] | undefined; error: unknown; refetch: () => unknown }
  /** Lines of the skeleton. */
  lines?: number | undefined
  /** Of the field, which is named by no visible word. */
  label: string
  placeholder: string
  search: string
  onSearch: (search: string) => void
  find: (rows: readonly Row[], search: string) => readonly Row[]
  /** Where there is no row at all. */
  empty: ComponentProps<typeof EmptyState>
  /** Title where none passes. */
  noMatch: string
  children: (found: readonly Row[]) => ReactNode
}) {
  const { query, lines, search, onSearch, find } = props
  return (
    <>
      <Box p="sm">
        <TextInput
          maw={340}
          aria-label={props.label}
          placeholder={props.placeholder}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
      </Box>
      <Loaded query={query} {...(lines === undefined ? {} : { rows: lines })}>
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
      </Loaded>
    </>
  )
}
