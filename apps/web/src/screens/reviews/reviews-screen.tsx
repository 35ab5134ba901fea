import type { ReviewSettings, ReviewWeek } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  Alert,
  Button,
  Card,
  Checkbox,
  Group,
  NumberInput,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { reviewApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { PrintButton } from '../../components/print/print-button.tsx'
import { csvTime } from '../../components/lists/csv.ts'
import type { CsvColumn } from '../../components/lists/list-definition.ts'
import { exportRows } from '../../components/lists/export-csv.tsx'
import { msg } from '@lingui/core/macro'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useUnsaved } from '../../ui/form/use-unsaved.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { formatDuration, formatTime } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { useState } from 'react'
import { useFailureText } from '../../api/failure-text.ts'
import { noticeDone } from '../../api/notices.ts'
import classes from './reviews.module.css'
import { reviewSettingsQuery } from '../payloads/actions/marks.ts'

/** Settings of reviews: reasons of marks, and the share to hear. */
function ReviewSettingsCard() {
  const { t } = useLingui()
  return (
    <Card component="section" aria-label={t`Review settings`} data-not-printed>
      <Loaded query={useQuery(reviewSettingsQuery)} rows={3}>
        {(settings) => <SettingsForm settings={settings} />}
      </Loaded>
    </Card>
  )
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

function SettingsForm({ settings }: { settings: ReviewSettings }) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const [lines, setLines] = useState(settings.reasons.join('\n'))
  const [min_share, setShare] = useState(settings.min_share)
  const [requires_share, setRequired] = useState(settings.requires_share)
  const saving = useMutation({
    mutationFn: () =>
      reviewApi.saveReviewSettings({ body: { reasons: linesOf(lines), min_share, requires_share } }),
    onSuccess: () => noticeDone(t`The settings are saved`),
    meta: { silent: true },
  })
  const isDirty =
    lines !== settings.reasons.join('\n') ||
    min_share !== settings.min_share ||
    requires_share !== settings.requires_share
  useUnsaved(isDirty, saving.isPending)
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        <Trans>Review settings</Trans>
      </Title>
      <NumberInput
        label={t`Share of a recording to hear before a review`}
        description={t`The portal warns about reviews after less. 0 turns the warning off.`}
        suffix=" %"
        min={0}
        max={100}
        allowDecimal={false}
        clampBehavior="strict"
        maw={320}
        value={min_share}
        onChange={(value) => setShare(Number(value) || 0)}
      />
      <Checkbox
        label={t`Require this share`}
        description={t`The mark “Reviewed” is refused before.`}
        checked={requires_share}
        onChange={(event) => setRequired(event.currentTarget.checked)}
      />
      <Textarea
        label={t`Reasons for marks, one per line`}
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
              <Stack gap="sm">
                <CoverageFacts rows={rows} />
                <Coverage rows={rows} />
                {is_cut && (
                  <Group>
                    <Text size="sm" c="dimmed">
                      <Trans>Only the latest weeks are shown.</Trans>
                    </Text>
                  </Group>
                )}
              </Stack>
            )
          }
        </Loaded>
      </Card>
      {may('account.review:update') && <ReviewSettingsCard />}
    </Stack>
  )
}

/** What the printed report covers: its weeks, and the share of the account. */
function CoverageFacts({ rows }: { rows: readonly ReviewWeek[] }) {
  const { i18n } = useLingui()
  const settings = useQuery({ ...reviewSettingsQuery, enabled: useMay()('payloads.marks:list') })
  const weeks = rows.map(({ week }) => week)
  const day = (week: number) => formatTime(week, i18n.locale, 'UTC', 'day')
  const [first, last] = [day(Math.min(...weeks)), day(Math.max(...weeks))]
  const share = settings.data?.min_share
  return (
    <Text size="sm" data-print-only>
      <Trans>
        Weeks from {first} to {last} (UTC).
      </Trans>{' '}
      {share !== undefined && <Trans>Share of a recording to hear before a review: {share} %.</Trans>}
    </Text>
  )
}

/** Counts per week, person and group. */
function Coverage({ rows }: { rows: readonly ReviewWeek[] }) {
  const { t, i18n } = useLingui()
  return (
    <DataTable
      caption={t`Review coverage`}
      rows={rows}
      keyOf={(row) => `${row.week} ${row.person} ${row.group}`}
      columns={[
        {
          id: 'week',
          label: t`Week from (UTC)`,
          cell: (row) => formatTime(row.week, i18n.locale, 'UTC', 'day'),
        },
        {
          id: 'person',
          label: t`Person`,
          cell: (row) => <span title={visible(row.person)}>{visible(row.person_name ?? row.person)}</span>,
        },
        { id: 'group', label: t`Group`, cell: (row) => visible(row.group) },
        { id: 'heard', label: t`Heard or opened`, align: 'end', cell: (row) => row.heard },
        {
          id: 'listened',
          label: t`Time listened`,
          align: 'end',
          cell: (row) => formatDuration(row.listened),
        },
        {
          id: 'reviewed',
          label: t({ context: 'mark', message: 'Reviewed' }),
          align: 'end',
          cell: (row) => row.reviewed,
        },
        {
          id: 'too_little',
          label: t`Heard too little`,
          align: 'end',
          // Loud only where there are some.
          cell: (row) =>
            row.too_little > 0 ? (
              <Text span inherit fw={650} className={classes.exception}>
                {row.too_little}
              </Text>
            ) : (
              0
            ),
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
  )
}

const CSV: readonly CsvColumn<ReviewWeek>[] = [
  { label: msg`Week from (UTC)`, value: (row: ReviewWeek) => fileDay(row.week) },
  { label: msg`Person`, value: (row: ReviewWeek) => row.person_name ?? row.person },
  { label: msg`Reference`, value: (row: ReviewWeek) => row.person },
  { label: msg`Group`, value: (row: ReviewWeek) => row.group },
  { label: msg`Heard or opened`, value: (row: ReviewWeek) => row.heard },
  { label: msg`Time listened`, unit: 's', value: (row: ReviewWeek) => row.listened },
  { label: msg({ context: 'mark', message: 'Reviewed' }), value: (row: ReviewWeek) => row.reviewed },
  { label: msg`Heard too little`, value: (row: ReviewWeek) => row.too_little },
  { label: msg({ context: 'mark', message: 'Flagged' }), value: (row: ReviewWeek) => row.flagged },
  { label: msg({ context: 'mark', message: 'Escalated' }), value: (row: ReviewWeek) => row.escalated },
]
