import type { ReviewWeek } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { reviewApi } from '../../api/review-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { csvTime } from '../../components/lists/csv.ts'
import { exportRows } from '../../components/lists/export-csv.tsx'
import { msg } from '@lingui/core/macro'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { visible } from '../../ui/visible.ts'
import { ReviewSettingsCard } from './review-settings-card.tsx'

/** Column name of a day in files, the same in every language. */
const fileDay = (week: number) => csvTime(week)?.slice(0, 10) ?? ''

/** `/dashboard/services/reviews`: review coverage per week, person and group, and settings for reviewers. */
export function ReviewsScreen() {
  const { t, i18n } = useLingui()
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
          <Button
            variant="default"
            leftSection={<Icon name="download" size={16} />}
            disabled={!weeks.data || weeks.data.weeks.length === 0}
            onClick={() => void exportRows('countReviews', weeks.data?.weeks ?? [], CSV, 'reviews')}
          >
            <Trans>Export CSV</Trans>
          </Button>
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

const CSV = [
  { label: msg`Week from (UTC)`, value: (row: ReviewWeek) => fileDay(row.week) },
  { label: msg`Person`, value: (row: ReviewWeek) => row.person },
  { label: msg`Group`, value: (row: ReviewWeek) => row.group },
  { label: msg`Heard`, value: (row: ReviewWeek) => row.heard },
  { label: msg({ context: 'mark', message: 'Reviewed' }), value: (row: ReviewWeek) => row.reviewed },
  { label: msg({ context: 'mark', message: 'Flagged' }), value: (row: ReviewWeek) => row.flagged },
  { label: msg({ context: 'mark', message: 'Escalated' }), value: (row: ReviewWeek) => row.escalated },
]
