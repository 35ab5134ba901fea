import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { BarTable } from './bar-table.tsx'

/** Rows shown before "all versions". */
const SHORT = 6

/** Devices per version, most frequent first. */
export function Distribution({
  title,
  rows,
  listOf,
}: {
  title: string
  /** Devices of a version; absent without the right to list them. */
  listOf: ((version: string) => LinkTarget) | undefined
  rows: readonly { version: string; count: number }[]
}) {
  const { t } = useLingui()
  const [all, setAll] = useState(false)
  const sorted = rows.toSorted((a, b) => b.count - a.count || b.version.localeCompare(a.version))
  const total = rows.reduce((sum, { count }) => sum + count, 0)
  const hidden = sorted.length - SHORT
  return (
    <Card component="section" aria-label={title} padding="lg">
      <Title order={2} mb="md">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">
          <Trans>Versions appear here after the first device authenticates.</Trans>
        </Text>
      ) : (
        <BarTable
          caption={title}
          heading={t`Version`}
          total={total}
          rows={(all ? sorted : sorted.slice(0, SHORT)).map(({ version, count }) => ({
            label: version,
            count,
            to: listOf?.(version),
          }))}
        />
      )}
      {hidden > 0 && (
        <Button mt="sm" size="xs" variant="subtle" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? (
            <Trans>Show fewer</Trans>
          ) : (
            <Plural value={hidden} one="# more version" other="# more versions" />
          )}
        </Button>
      )}
    </Card>
  )
}
