import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Skeleton, Title, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../ui/icon.tsx'
import { totalText } from '../../ui/text.ts'
import { getList, type ScreenService, SERVICES } from '../payloads/services.ts'
import type { HomeTotals } from './home-counts.ts'
import type { NewSince } from './new-since.ts'
import classes from './bar-table.module.css'

/** Recordings by service: new since the reader's last visit, and in total. */
export function Recordings({ totals, since }: { totals: HomeTotals; since: NewSince | undefined }) {
  const { i18n } = useLingui()
  if (totals.seen.length === 0) return null
  return (
    <Card component="section" aria-labelledby="recordings-title" padding="lg">
      <Title order={2} id="recordings-title" mb="xs">
        <Trans>Recordings</Trans>
      </Title>
      <table className={classes.table}>
        <caption>
          <VisuallyHidden>
            <Trans>Recordings</Trans>
          </VisuallyHidden>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Type</Trans>
            </th>
            <th scope="col" className={classes.number} data-wide>
              {since === undefined ? <Skeleton w={80} h={12} ml="auto" /> : <NewWords since={since} />}
            </th>
            <th scope="col" className={classes.number}>
              <Trans>Total</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.seen.map((service) => (
            <tr key={service}>
              <th scope="row">
                <span className={classes.service}>
                  <Icon name={SERVICES[service].icon} size={16} />
                  {i18n._(SERVICES[service].title)}
                </span>
              </th>
              <td className={classes.number} data-wide>
                <Count totals={totals} kind="new" service={service} />
              </td>
              <td className={classes.number} data-strong>
                <Count totals={totals} kind="total" service={service} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}

function Count(props: { totals: HomeTotals; kind: 'new' | 'total'; service: ScreenService }) {
  const { i18n } = useLingui()
  const { totals, kind, service } = props
  const total = totals.of(kind, service)
  if (total === undefined) return <Skeleton w={24} h={16} ml="auto" />
  if (total === null) return '–'
  return (
    <Link {...getList(service, totals.getSearch(kind))} className={classes.link}>
      {totalText(total, (count) => i18n.number(count))}
    </Link>
  )
}

function NewWords({ since }: { since: NewSince }) {
  const { i18n } = useLingui()
  if (since.kind === 'first_visit') return <Trans>New, last 7 days</Trans>
  if (since.kind === 'today') return <Trans>New today</Trans>
  const day = i18n.date(since.day, { weekday: 'short', day: 'numeric', month: 'short' })
  return <Trans>New since your last visit, {day}</Trans>
}
