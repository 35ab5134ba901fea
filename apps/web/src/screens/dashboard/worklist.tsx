import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { ScreenService } from '../payloads/services.ts'
import { PAYLOAD_STATE_WORDS } from '../../components/words/payload-words.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import { AlertCount } from './alert-count.tsx'
import { ApprovalCount } from './approval-count.tsx'
import { PayloadCount } from './payload-count.tsx'
import { usePayloadTotals } from '../payloads/payload-totals.ts'
import { type NewSince, newSince } from './new-since.ts'
import { SilenceCount } from './silence-count.tsx'
import { WaitingCount } from './waiting-count.tsx'
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
              to={{ to: '/dashboard/services', search: { tab: 'proposals', state: 'waiting' } }}
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
