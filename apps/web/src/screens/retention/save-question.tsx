import type { RetentionInput, RetentionPreview } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Box, Checkbox, List, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { PreviewTable } from './preview-table.tsx'
import { changedWord } from './retention-words.ts'

/** Preview of a policy before saving; for shortened periods, whether they apply to existing records. */
export default function SaveQuestion(props: {
  body: RetentionInput
  first: RetentionPreview
  onConfirm: (given: Pick<RetentionInput, 'applies_to_kept' | 'note'>) => void
  onClose: () => void
}) {
  const { body, first } = props
  const { t } = useLingui()
  const [applies_to_kept, setApplies] = useState(false)
  const [note, setNote] = useState('')
  const { entries, minimums } = body
  const preview = useQuery({
    ...callQuery(retentionApi, 'reviewRetention', { body: { entries, minimums, applies_to_kept } }),
    initialData: applies_to_kept ? undefined : first,
    // The dialog keeps its height while the other counts load.
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const isShorter = first.shortened.length > 0
  return (
    <Confirm
      title={isShorter ? t`Shorten the retention?` : t`Save the retention policy?`}
      confirmLabel={t`Save policy`}
      isDangerous={isShorter}
      size="xl"
      onConfirm={() => props.onConfirm({ applies_to_kept, note: note.trim() === '' ? null : note.trim() })}
      onClose={props.onClose}
    >
      <Stack>
        {isShorter && (
          <ShortenedNotice subjects={first.shortened} applies={applies_to_kept} onChange={setApplies} />
        )}
        <QueryResult query={preview} height={160}>
          {(found) => (
            <Box opacity={preview.isPlaceholderData ? 0.5 : 1} aria-busy={preview.isPlaceholderData}>
              <PreviewTable preview={found} />
            </Box>
          )}
        </QueryResult>
        <TextInput
          label={t`Note`}
          description={t`Optional reason, shown with the versions`}
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
          maxLength={500}
          autoComplete="off"
        />
        <Text size="sm" c="dimmed">
          <Trans>
            Due records are deleted or destroyed within minutes. Deletion can be undone; destruction is
            permanent.
          </Trans>
        </Text>
      </Stack>
    </Confirm>
  )
}

/** Shortened periods, and whether they apply to existing records. */
function ShortenedNotice(props: {
  subjects: RetentionPreview['shortened']
  applies: boolean
  onChange: (applies: boolean) => void
}) {
  const { t, i18n } = useLingui()
  return (
    <Alert color="orange" icon={<Icon name="warning" />} title={t`Shorter than now`}>
      <List size="sm">
        {props.subjects.map((subject) => (
          <List.Item key={subject}>{changedWord(i18n, subject)}</List.Item>
        ))}
      </List>
      <Checkbox
        mt="sm"
        checked={props.applies}
        onChange={({ currentTarget: { checked } }) => props.onChange(checked)}
        label={t`Apply to existing records`}
        description={t`If off, existing records keep their earlier policy, unless the new period is longer.`}
      />
    </Alert>
  )
}
