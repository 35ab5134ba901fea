import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Card, Group, Stack, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFailureText } from '../../api/failure-text.ts'
import { noticeDone } from '../../api/notices.ts'
import { reviewApi } from '../../api/review-api.ts'
import { reviewSettingsQuery } from '../payloads/actions/marks-query.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'

/** Reasons of marks, one per line. */
export function ReviewSettingsCard() {
  const { t } = useLingui()
  return (
    <Card component="section" aria-label={t`Reasons for marks`}>
      <Loaded query={useQuery(reviewSettingsQuery)} rows={3}>
        {({ reasons }) => <Reasons reasons={reasons} />}
      </Loaded>
    </Card>
  )
}

function Reasons({ reasons }: { reasons: readonly string[] }) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const [lines, setLines] = useState(reasons.join('\n'))
  const wanted = [
    ...new Set(
      lines
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
  ]
  const saving = useMutation({
    mutationFn: () => reviewApi.saveReviewSettings({ body: { reasons: wanted } }),
    onSuccess: () => noticeDone(t`The settings are saved`),
    meta: { silent: true },
  })
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        <Trans>Reasons for marks</Trans>
      </Title>
      <Textarea
        label={t`One reason per line`}
        description={t`Reviewers choose one of these for a mark. Existing marks keep their reason.`}
        autosize
        minRows={3}
        value={lines}
        onChange={(event) => setLines(event.currentTarget.value)}
      />
      {saving.error !== null && (
        <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
          {failureText(saving.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button loading={saving.isPending} onClick={() => saving.mutate()}>
          <Trans>Save</Trans>
        </Button>
      </Group>
    </Stack>
  )
}
