import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Skeleton, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { totalText } from '../../components/lists/total-text.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import { usePayloadTotals } from '../payloads/payload-totals.ts'
import { listOf, type ScreenService, SERVICES } from '../payloads/services.ts'
import { type NewSince, newSince } from './new-since.ts'
import { useSeenServices } from './work-items.ts'
import classes from './recordings.module.css'

/** Recordings by service: in total, and new since the reader's last visit. */
export default function Recordings({ last_visit_at }: { last_visit_at: number | null }) {
  const { t, i18n } = useLingui()
  const seen = useSeenServices()
  const since = newSince(last_visit_at, useNow() * 1000)
  const searches: ListSearch[] = [{ date_filter: 'processed_at', from: since.from }, {}]
  const lists = seen.flatMap((service) => searches.map((search) => ({ service, search })))
  const { data, error } = usePayloadTotals(lists, lists.length > 0)
  const count = (service: ScreenService, column: number) => {
    const total = data?.totals[seen.indexOf(service) * searches.length + column]
    if (total === undefined) return error === null ? <Skeleton w={24} h={16} /> : '–'
    return (
      <Link
        {...listOf(service, searches[column] ?? {})}
        className={classes.count}
        data-none={total.total === 0 || undefined}
      >
        {totalText(total, (number) => i18n.number(number))}
      </Link>
    )
  }
  if (seen.length === 0) return null
  return (
    <Card component="section" aria-labelledby="recordings-title" padding="lg">
      <Title order={2} id="recordings-title" mb="xs">
        <Trans>Recordings</Trans>
      </Title>
      <DataTable
        caption={t`Recordings`}
        rows={seen}
        keyOf={(service) => service}
        columns={[
          {
            id: 'service',
            label: t`Type`,
            cell: (service) => (
              <span className={classes.service}>
                <Icon name={SERVICES[service].icon} size={16} />
                {i18n._(SERVICES[service].title)}
              </span>
            ),
          },
          { id: 'new', label: useNewWords(since), align: 'end', cell: (service) => count(service, 0) },
          { id: 'total', label: t`Total`, align: 'end', cell: (service) => count(service, 1) },
        ]}
      />
    </Card>
  )
}

function useNewWords(since: NewSince): string {
  const { t, i18n } = useLingui()
  if (since.kind === 'first_visit') return t`New, last 7 days`
  if (since.kind === 'today') return t`New today`
  const day = i18n.date(since.day, { weekday: 'short', day: 'numeric', month: 'short' })
  return t`New since your last visit, ${day}`
}
