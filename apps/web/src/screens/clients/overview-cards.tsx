import type { AlertSeverity, Total } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Card, Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useFailureText } from '../../api/failure-text.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { totalOf } from '../../api/all-pages.ts'
import { clientsQuery } from '../../components/clients/clients.ts'
import classes from './overview-cards.module.css'
import { GRAVEST_FIRST, SEVERITY_LOOKS } from '../../components/alerts/severity.ts'
import { requestTotalQuery } from '../../components/support-access/support-queries.ts'

/** Pending work for staff, each count linked to its page; permitted ones only. */
export function OverviewCards() {
  const { t, i18n } = useLingui()
  const may = useMay()
  const maySupport = may('internal.supportaccess:list')
  const pending = useQuery({ ...requestTotalQuery('pending'), enabled: maySupport })
  const approved = useQuery({ ...requestTotalQuery('approved'), enabled: maySupport })
  const clients = useQuery({ ...clientsQuery, enabled: may('internal.clients:list') })
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      {maySupport && (
        <>
          <Figure
            icon="clock"
            label={t`Pending requests`}
            to="/internal/support"
            search={{ state: 'pending' }}
          >
            <Value query={pending} show={(total) => numberOf(total, i18n)} />
          </Figure>
          <Figure
            icon="lifebuoy"
            label={t`Approved requests`}
            to="/internal/support"
            search={{ state: 'approved' }}
          >
            <Value query={approved} show={(total) => numberOf(total, i18n)} />
          </Figure>
        </>
      )}
      {may('internal.clients:list') && (
        <Figure icon="group" label={t`Clients`} to="/internal" search={{ tab: 'clients' }}>
          <Value query={clients} show={(all) => i18n.number(all.length)} />
        </Figure>
      )}
      {may('internal.alerts:list') && <Alerts />}
    </SimpleGrid>
  )
}

/** Triggered alerts of all clients by severity. */
function Alerts() {
  const { t, i18n } = useLingui()
  const high = useQuery(alertTotalQuery('High'))
  const medium = useQuery(alertTotalQuery('Medium'))
  const low = useQuery(alertTotalQuery('Low'))
  const queries = { High: high, Medium: medium, Low: low }
  return (
    <Figure icon="bell" label={t`Triggered alerts`} to="/internal/alerts" search={{ states: ['Triggered'] }}>
      <Group gap="xs">
        {GRAVEST_FIRST.map((severity) => (
          <span key={severity} className={classes.severity} data-severity={severity}>
            <Icon name={SEVERITY_LOOKS[severity].icon} size={16} />
            <Value query={queries[severity]} show={(total) => numberOf(total, i18n)} />
            <Text span size="sm" fw={400}>
              <SpecWord value={severity} words={ALERT_SEVERITY_WORDS} />
            </Text>
          </span>
        ))}
      </Group>
    </Figure>
  )
}

const alertTotalQuery = (severity: AlertSeverity) => ({
  queryKey: keyOf('listAlertsOfClients', 'total', severity),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    totalOf(
      internalApi.listAlertsOfClients(
        { query: { type: 'total', states: ['Triggered'], severities: [severity] } },
        { signal },
      ),
    ),
})

const numberOf = ({ total, is_capped }: Total, i18n: I18n): string =>
  `${i18n.number(total)}${is_capped ? '+' : ''}`

function Figure(
  props: Pick<LinkProps, 'to' | 'search'> & { icon: IconName; label: string; children: ReactNode },
) {
  return (
    <Card
      className={classes.figure}
      renderRoot={(root) => <Link {...root} to={props.to} search={props.search} />}
    >
      <Group gap="xs" wrap="nowrap" c="dimmed">
        <Icon name={props.icon} size={16} />
        <Text size="sm" fw={600}>
          {props.label}
        </Text>
      </Group>
      <div className={classes.value}>{props.children}</div>
    </Card>
  )
}

function Value<Data>(props: {
  query: { data: Data | undefined; error: unknown }
  show: (data: Data) => string
}) {
  const failureText = useFailureText()
  const { data, error } = props.query
  if (data !== undefined) return <span className="tabular">{props.show(data)}</span>
  if (error === null) return <Skeleton component="span" display="inline-block" h={22} w={36} />
  return (
    <Text span size="sm" c="var(--mantine-color-error)" title={failureText(error)}>
      –
    </Text>
  )
}
