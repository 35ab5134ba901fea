import { interpretWords, marksIn } from '@custodia/domain/words'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { setCurrentSearch, useCurrentSearch } from '../../components/current-search.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { FoundComments } from './found-comments.tsx'
import { FoundPayloads } from './found-payloads.tsx'

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
