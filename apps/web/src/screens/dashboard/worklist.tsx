import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Skeleton, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { listOf, type ScreenService, SERVICES } from '../payloads/services.ts'
import { PAYLOAD_STATE_WORDS } from '../../components/words/payload-words.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import { alertSummaryQuery } from '../../components/alerts/alert-summary-query.ts'
import { countsBySeverity } from '../../components/alerts/severity.ts'
import { totalOf } from '../../api/all-pages.ts'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { totalText } from '../../components/lists/total-text.ts'
import { type CountedList, usePayloadTotals } from '../payloads/payload-totals.ts'
import { type NewSince, newSince } from './new-since.ts'
import type { Silence, Total } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { dashboardQuery } from '../../api/queries.ts'
import { Link } from '@tanstack/react-router'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import classes from './worklist.module.css'

/** Services to hear or read; pictures and diagnostics are counted on the overview. */
const services = ['calls', 'messages', 'interviews'] as const satisfies ScreenService[]

interface PayloadLine {
  icon: IconName
  label: ReactNode
  /** List of the counts. */
  search: ListSearch
  /** Highlighted when above zero. */
  isWorry: boolean
}

/** The user's pending work: each count links to its list. */
export function Worklist({ last_visit_at }: { last_visit_at: number | null }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const since = newSince(last_visit_at, useNow() * 1000)
  const lines: PayloadLine[] = [
    {
      icon: 'bell',
      label: <NewWords since={since} />,
      search: { date_filter: 'processed_at', from: since.from },
      isWorry: false,
    },
    { icon: 'clock', label: t`Late, last 30 days`, search: { is_late: true, from: '-30d' }, isWorry: true },
    {
      icon: 'warning',
      label: i18n._(PAYLOAD_STATE_WORDS.Failed),
      search: { states: ['Failed'] },
      isWorry: true,
    },
    {
      icon: 'shield-alert',
      label: i18n._(PAYLOAD_STATE_WORDS.Quarantined),
      search: { states: ['Quarantined'] },
      isWorry: true,
    },
  ]
  const lists = lines.flatMap(({ search }) => services.map((service) => ({ service, search })))
  const { data, error } = usePayloadTotals(lists, may('payloads:list'))
  const mayApprove = may('supportaccess:list')
  const mayConfirm = may('account.proposals:list') && may('account.proposals:update')
  const maySeeAlerts = may('alerts.summary:read') && may('alerts:list')
  const mayDecide = may('devices.holder:confirm') && may('devices:list')
  if (![may('payloads:list'), mayApprove, mayConfirm, maySeeAlerts, may('devices:list')].some(Boolean))
    return null
  return (
    <Card component="section" aria-labelledby="worklist-title" padding="lg">
      <Title order={2} id="worklist-title" mb="xs">
        <Trans>Awaiting your action</Trans>
      </Title>
      <ul className={classes.list}>
        {may('payloads:list') &&
          lines.map(({ icon, label, isWorry }, line) => (
            <li key={icon} className={classes.line}>
              <Icon name={icon} />
              <span className={classes.label}>{label}</span>
              {lists.slice(line * services.length, (line + 1) * services.length).map((list, i) => (
                <PayloadCount
                  key={list.service}
                  list={list}
                  total={data?.totals[line * services.length + i]}
                  hasFailed={error !== null}
                  isWorry={isWorry}
                />
              ))}
            </li>
          ))}
        {mayApprove && (
          <li className={classes.line}>
            <Icon name="lifebuoy" />
            <span className={classes.label}>
              <Trans>Support access requests</Trans>
            </span>
            <ApprovalCount />
          </li>
        )}
        {mayConfirm && (
          <li className={classes.line}>
            <Icon name="lock" />
            <span className={classes.label}>
              <Trans>Proposals awaiting approval</Trans>
            </span>
            <WaitingCount
              of="waiting_proposals"
              what={t`Approvals`}
              to={{ to: '/dashboard/governance/approvals', search: { state: 'waiting' } }}
            />
          </li>
        )}
        {mayDecide && (
          <li className={classes.line}>
            <Icon name="device" />
            <span className={classes.label}>
              <Trans>Devices to confirm</Trans>
            </span>
            <WaitingCount
              of="waiting_devices"
              what={t`Devices`}
              to={{ to: '/dashboard/devices', search: { is_waiting: true } }}
            />
          </li>
        )}
        {may('devices:list') && (
          <>
            <li className={classes.line}>
              <Icon name="moon" />
              <span className={classes.label}>
                <Trans>Devices silent for at least a day</Trans>
              </span>
              <SilenceCount silences={['silent', 'long_silent']} />
            </li>
            <li className={classes.line}>
              <Icon name="wave" />
              <span className={classes.label}>
                <Trans>Online devices without recordings</Trans>
              </span>
              <SilenceCount silences={['silent_but_alive']} />
            </li>
          </>
        )}
        {maySeeAlerts && (
          <li className={classes.line}>
            <Icon name="alert-circle" />
            <span className={classes.label}>
              <Trans>Open alerts</Trans>
            </span>
            <AlertCount />
          </li>
        )}
      </ul>
    </Card>
  )
}

function NewWords({ since }: { since: NewSince }) {
  const { i18n } = useLingui()
  if (since.kind === 'first_visit') return <Trans>New, last 7 days</Trans>
  if (since.kind === 'today') return <Trans>New today</Trans>
  const day = i18n.date(since.day, { weekday: 'short', day: 'numeric', month: 'short' })
  return <Trans>New since your last visit, {day}</Trans>
}

/** Number of devices with these levels of silence. */
function SilenceCount({ silences }: { silences: readonly Silence[] }) {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(dashboardQuery)
  const count = data && silences.reduce((sum, silence) => sum + data.silences[silence], 0)
  return (
    <CountLink
      to={{ to: '/dashboard/devices', search: { silences: [...silences] } }}
      what={t`Devices`}
      text={count === undefined ? undefined : i18n.number(count)}
      hasFailed={error !== null}
      look={count ? 'worry' : 'none'}
    />
  )
}

/** Number of triggered alerts that the user has not dismissed. */
function AlertCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(alertSummaryQuery)
  const counts = data && countsBySeverity(data.data)
  const total = counts && counts.High + counts.Medium + counts.Low
  return (
    <CountLink
      to={{ to: '/dashboard/account/alerts' }}
      what={t`Alerts`}
      text={total === undefined ? undefined : i18n.number(total)}
      hasFailed={error !== null}
      look={counts?.High ? 'worry' : total ? 'some' : 'none'}
    />
  )
}

/** Number of pending approvals, as a link. */
function WaitingCount(props: { of: 'waiting_devices' | 'waiting_proposals'; what: string; to: LinkTarget }) {
  const { i18n } = useLingui()
  const { data, error } = useQuery(dashboardQuery)
  const count = data?.[props.of] ?? undefined
  return (
    <CountLink
      to={props.to}
      what={props.what}
      text={count === undefined ? undefined : i18n.number(count)}
      hasFailed={error !== null}
      look={count ? 'worry' : 'none'}
    />
  )
}

/** Number of pending support access requests. */
function ApprovalCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery({
    queryKey: keyOf('listSupportAccess', 'total', 'pending'),
    queryFn: ({ signal }) =>
      totalOf(api.listSupportAccess({ query: { states: ['pending'], type: 'total' } }, { signal })),
    meta: { isWatch: true },
  })
  return (
    <CountLink
      to={{ to: '/dashboard/account/support-access', search: { states: ['pending'] } }}
      what={t`Requests`}
      text={data && totalText(data, (count) => i18n.number(count))}
      hasFailed={error !== null}
      look={data?.total ? 'worry' : 'none'}
    />
  )
}

/** Count of a payload list, as a link. */
function PayloadCount(props: {
  list: CountedList
  /** Undefined while unknown. */
  total: Total | undefined
  hasFailed: boolean
  isWorry: boolean
}) {
  const { i18n } = useLingui()
  const { service, search } = props.list
  const { total, isWorry } = props
  return (
    <CountLink
      to={listOf(service, search)}
      what={i18n._(SERVICES[service].title)}
      text={total && totalText(total, (count) => i18n.number(count))}
      hasFailed={props.hasFailed}
      look={!total?.total ? 'none' : isWorry ? 'worry' : 'some'}
    />
  )
}

/** A count of the worklist with its link. */
function CountLink(props: {
  to: LinkTarget
  /** Label. */
  what: string
  /** The count; undefined while unknown. */
  text: string | undefined
  hasFailed: boolean
  look: 'none' | 'some' | 'worry'
}) {
  const { t } = useLingui()
  const number =
    props.text ?? (props.hasFailed ? <abbr title={t`The count failed`}>–</abbr> : <Skeleton w={18} h={16} />)
  return (
    <Link {...props.to} className={classes.count} data-look={props.look}>
      <strong className={classes.number}>{number}</strong>
      <span className={classes.what}>{props.what}</span>
    </Link>
  )
}
