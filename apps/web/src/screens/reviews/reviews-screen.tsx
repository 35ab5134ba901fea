import {
  reviewReportEndpoints,
  ReviewSettings,
  type ReviewWeek,
  type StoredReviewSettings,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Checkbox, Group, NumberInput, Stack, Text, Textarea, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { portalClient } from '../../api/api.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { noticeDone, noticeFailure } from '../../api/notices.ts'
import { reviewApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { csvTime } from '../../components/lists/csv.ts'
import { exportRows, printPage } from '../../components/lists/export-csv.tsx'
import type { CsvColumn } from '../../components/lists/list-definition.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormPage } from '../../ui/form/form-page.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { formatDuration, formatTime } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { reviewSettingsQuery } from '../payloads/actions/marks.ts'
import classes from './reviews.module.css'

const reportApi = portalClient(reviewReportEndpoints, {})

/** Saves the coverage as a signed file. */
async function saveReport(): Promise<void> {
  try {
    const report = await reportApi.readReviewReport({ query: {} })
    download([JSON.stringify(report, null, 2)], 'review-coverage', {
      type: 'application/json',
      ending: 'json',
    })
  } catch (error) {
    noticeFailure(error)
  }
}

/** Settings of reviews for editing, read once: they must not change during the edit. */
const editedQuery = queryOptions({
  queryKey: getKey('readReviewSettings', 'edited'),
  queryFn: ({ signal }) => reviewApi.readReviewSettings({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/** Settings of reviews: reasons of marks, and the share to hear. */
function ReviewSettingsCard() {
  const { t } = useLingui()
  const query = useQuery(editedQuery)
  return (
    <section aria-label={t`Review settings`} data-not-printed>
      <QueryResult query={query} rows={3}>
        {(settings) => (
          <SettingsForm key={settings.version} settings={settings} onReload={() => void query.refetch()} />
        )}
      </QueryResult>
    </section>
  )
}

/** Reasons are typed as lines. */
const getDraft = ({ reasons, min_share, requires_share }: ReviewSettings) => ({
  reasons: reasons.join('\n'),
  min_share: min_share as number | string,
  requires_share,
})

const getInput = ({ reasons, min_share, requires_share }: ReturnType<typeof getDraft>) => ({
  reasons: [
    ...new Set(
      reasons
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
  ],
  min_share: min_share as number,
  requires_share,
})

function SettingsForm(props: { settings: StoredReviewSettings; onReload: () => void }) {
  const { t } = useLingui()
  const { settings, onReload } = props
  const labels = {
    min_share: t`Share of a recording to hear before a review`,
    requires_share: t`Require this share`,
    reasons: t`Reasons for marks, one per line`,
  }
  const form = useForm({
    initial: getDraft(settings),
    stored: getStored(settings, () => reviewApi.readReviewSettings({}), getDraft),
    labels,
    check: (draft) => shapeFaults(ReviewSettings, getInput(draft)),
    save: (draft, version) => reviewApi.saveReviewSettings({ body: getInput(draft) }, { if_match: version }),
    onSaved: () => {
      noticeDone(t`The settings are saved`)
      onReload()
    },
  })
  return (
    <FormPage form={form} onReload={onReload}>
      <Card>
        <Stack>
          <Title order={2} size="h4">
            <Trans>Review settings</Trans>
          </Title>
          <NumberInput
            label={labels.min_share}
            description={t`The portal warns about reviews after less. 0 turns the warning off.`}
            suffix=" %"
            min={0}
            max={100}
            allowDecimal={false}
            clampBehavior="strict"
            maw={320}
            {...form.field('min_share')}
          />
          <Checkbox
            label={labels.requires_share}
            description={t`The mark “Reviewed” is refused before.`}
            {...form.flag('requires_share')}
          />
          <Textarea
            label={labels.reasons}
            description={t`Reviewers choose one of these for a mark. Existing marks keep their reason.`}
            autosize
            minRows={3}
            {...form.field('reasons')}
          />
        </Stack>
      </Card>
    </FormPage>
  )
}

/** Column name of a day in files, the same in every language. */
const fileDay = (week: number) => csvTime(week)?.slice(0, 10) ?? ''

/** `/dashboard/services/reviews`: review coverage per week, person and group, and settings for reviewers. */
export function ReviewsScreen() {
  const { t } = useLingui()
  const may = useMay()
  const weeks = useQuery(callQuery(reviewApi, 'countReviews'))
  return (
    <Stack>
      <PageHeader
        title={t`Review coverage`}
        actions={
          <>
            <Button variant="default" onClick={() => void printPage({ list: 'countReviews' })}>
              <Trans>Print</Trans>
            </Button>
            <Button variant="default" disabled={!weeks.data} onClick={() => void saveReport()}>
              <Trans>Save the signed report</Trans>
            </Button>
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
        <QueryResult query={weeks} rows={5}>
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
        </QueryResult>
      </Card>
      {/* The table above has its height. */}
      {!weeks.isPending && may('account.review:update') && <ReviewSettingsCard />}
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
      {first === last ? (
        <Trans>Week of {first} (UTC).</Trans>
      ) : (
        <Trans>
          Weeks from {first} to {last} (UTC).
        </Trans>
      )}{' '}
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
      getKey={(row) => `${row.week} ${row.person} ${row.group}`}
      columns={[
        { label: t`Week from (UTC)`, cell: (row) => formatTime(row.week, i18n.locale, 'UTC', 'day') },
        {
          label: t`Person`,
          cell: (row) => <span title={visible(row.person)}>{visible(row.person_name ?? row.person)}</span>,
        },
        { label: t`Group`, cell: (row) => visible(row.group) },
        { label: t`Heard or opened`, align: 'end', cell: (row) => row.heard },
        { label: t`Time listened`, align: 'end', cell: (row) => formatDuration(row.listened) },
        {
          label: t({ context: 'recordings', message: 'Reviewed' }),
          align: 'end',
          cell: (row) => row.reviewed,
        },
        {
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
        { label: t({ context: 'recordings', message: 'Flagged' }), align: 'end', cell: (row) => row.flagged },
        {
          label: t({ context: 'recordings', message: 'Escalated' }),
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
  { label: msg({ context: 'recordings', message: 'Reviewed' }), value: (row: ReviewWeek) => row.reviewed },
  { label: msg`Heard too little`, value: (row: ReviewWeek) => row.too_little },
  { label: msg({ context: 'recordings', message: 'Flagged' }), value: (row: ReviewWeek) => row.flagged },
  { label: msg({ context: 'recordings', message: 'Escalated' }), value: (row: ReviewWeek) => row.escalated },
]
