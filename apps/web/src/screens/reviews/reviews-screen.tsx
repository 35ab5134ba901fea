import type { ReviewWeek } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Card, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { reviewApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { PrintButton } from '../../components/print/print-button.tsx'
import { csvTime } from '../../components/lists/csv.ts'
import { exportRows } from '../../components/lists/export-csv.tsx'
import { msg } from '@lingui/core/macro'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { useState } from 'react'
import { useFailureText } from '../../api/failure-text.ts'
import { noticeDone } from '../../api/notices.ts'
import { reviewSettingsQuery } from '../payloads/actions/marks.ts'

/** Reasons of marks, one per line. */
function ReviewSettingsCard() {
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

/** Column name of a day in files, the same in every language. */
const fileDay = (week: number) => csvTime(week)?.slice(0, 10) ?? ''

/** `/dashboard/services/reviews`: review coverage per week, person and group, and settings for reviewers. */
export function ReviewsScreen() {
  const { t } = useLingui()
  const may = useMay()
  const weeks = useQuery({
    queryKey: keyOf('countReviews'),
    queryFn: ({ signal }) => reviewApi.countReviews({ query: {} }, { signal }),
  })
  return (
    <Stack gap="md">
      <PageHeader
        title={t`Review coverage`}
        actions={
          <>
            <PrintButton />
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              disabled={!weeks.data || weeks.data.weeks.length === 0}
              onClick={() => void exportRows('countReviews', weeks.data?.weeks ?? [], CSV, 'reviews')}
            >
              <Trans>Export CSV</Trans>
            </Button>
          </>
        }
      />
      <Card>
        <Loaded query={weeks} rows={5}>
          {({ weeks: rows, is_cut }) =>
            rows.length === 0 ? (
              <EmptyState
                icon="eye"
                title={t`No reviews yet`}
                description={<Trans>This page counts reviews and marks by week and group.</Trans>}
              />
            ) : (
              <Coverage weeks={rows} isCut={is_cut} />
            )
          }
        </Loaded>
      </Card>
      {may('account.review:update') && <ReviewSettingsCard />}
    </Stack>
  )
}

function Coverage({ weeks, isCut }: { weeks: readonly ReviewWeek[]; isCut: boolean }) {
  const { t, i18n } = useLingui()
  return (
    <Stack gap="sm">
      <DataTable
        caption={t`Review coverage`}
        rows={weeks}
        keyOf={(row) => `${row.week} ${row.person} ${row.group}`}
        columns={[
          {
            id: 'week',
            label: t`Week from (UTC)`,
            cell: (row) => formatTime(row.week, i18n.locale, 'UTC', 'day'),
          },
          { id: 'person', label: t`Person`, cell: (row) => visible(row.person) },
          { id: 'group', label: t`Group`, cell: (row) => visible(row.group) },
          { id: 'heard', label: t`Heard`, align: 'end', cell: (row) => row.heard },
          {
            id: 'reviewed',
            label: t({ context: 'mark', message: 'Reviewed' }),
            align: 'end',
            cell: (row) => row.reviewed,
          },
          {
            id: 'flagged',
            label: t({ context: 'mark', message: 'Flagged' }),
            align: 'end',
            cell: (row) => row.flagged,
          },
          {
            id: 'escalated',
            label: t({ context: 'mark', message: 'Escalated' }),
            align: 'end',
            cell: (row) => row.escalated,
          },
        ]}
      />
      {isCut && (
        <Group>
          <Text size="sm" c="dimmed">
            <Trans>Only the latest weeks are shown.</Trans>
          </Text>
        </Group>
      )}
    </Stack>
  )
}

const CSV = [
  { label: msg`Week from (UTC)`, value: (row: ReviewWeek) => fileDay(row.week) },
  { label: msg`Person`, value: (row: ReviewWeek) => row.person },
  { label: msg`Group`, value: (row: ReviewWeek) => row.group },
  { label: msg`Heard`, value: (row: ReviewWeek) => row.heard },
  { label: msg({ context: 'mark', message: 'Reviewed' }), value: (row: ReviewWeek) => row.reviewed },
  { label: msg({ context: 'mark', message: 'Flagged' }), value: (row: ReviewWeek) => row.flagged },
  { label: msg({ context: 'mark', message: 'Escalated' }), value: (row: ReviewWeek) => row.escalated },
]
