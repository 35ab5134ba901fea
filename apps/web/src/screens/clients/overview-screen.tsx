import type { AlertSeverity, StaffMember, Total } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Card, Group, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, type LinkProps, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { useFailureText } from '../../api/failure-text.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { HIGHEST_FIRST, SEVERITY_STYLES } from '../../components/alerts/severity.ts'
import { clientsQuery, staffQuery } from '../../components/clients/clients.tsx'
import { requestTotalQuery } from '../../components/support-access/support-access.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ClientsTab, type OVERVIEW_TABS, type OverviewSearch, overviewSearch } from './clients-tab.tsx'
import classes from './overview-cards.module.css'

/** Pending work for staff, each count linked to its page; permitted ones only. */
function OverviewCards() {
  const { t, i18n } = useLingui()
  const may = useMay()
  const maySupport = may('internal.supportaccess:list')
  const pending = useQuery({ ...requestTotalQuery('pending'), enabled: maySupport })
  const approved = useQuery({ ...requestTotalQuery('approved'), enabled: maySupport })
  const clients = useQuery({ ...clientsQuery, enabled: may('internal.clients:list') })
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', xs: 'md' }}>
      {maySupport && (
        <>
          <Figure
            icon="clock"
            label={t`Pending support requests`}
            to="/internal/support"
            search={{ state: 'pending' }}
          >
            <Value query={pending} show={(total) => getNumber(total, i18n)} />
          </Figure>
          <Figure
            icon="lifebuoy"
            label={t`Approved support requests`}
            to="/internal/support"
            search={{ state: 'approved' }}
          >
            <Value query={approved} show={(total) => getNumber(total, i18n)} />
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
        {HIGHEST_FIRST.map((severity) => (
          <span key={severity} className={classes.severity} data-severity={severity}>
            <Icon name={SEVERITY_STYLES[severity].icon} size={16} />
            <Value query={queries[severity]} show={(total) => getNumber(total, i18n)} />
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
  queryKey: getKey('listAlertsOfClients', 'total', severity),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    internalApi.listAlertsOfClients(
      { query: { type: 'total', states: ['Triggered'], severities: [severity] } },
      { signal },
    ),
})

const getNumber = ({ total, is_capped }: Total, i18n: I18n): string =>
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
  if (error === null)
    return <Skeleton component="span" display="inline-block" h={22} w={12} style={{ verticalAlign: 'top' }} />
  return (
    <Text span size="sm" c="var(--mantine-color-error)" title={failureText(error)}>
      –
    </Text>
  )
}

/** The provider's staff, from the sign-ins of the last 30 days. */
function StaffTab() {
  const { t } = useLingui()
  const query = useQuery(staffQuery)
  const columns: DataColumn<StaffMember>[] = [
    { label: t`User`, cell: ({ user_reference }) => <strong>{user_reference}</strong> },
    {
      label: t`Roles`,
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <Text span c="dimmed">
            <Trans>No roles</Trans>
          </Text>
        ) : (
          <Group gap={6}>
            {roles.map((role) => (
              <Badge key={role} color="gray">
                {role}
              </Badge>
            ))}
          </Group>
        ),
    },
    { label: t`Group`, cell: ({ user_group }) => user_group ?? '–' },
    { label: t`Last seen`, cell: ({ last_seen }) => (last_seen === null ? '–' : <Time at={last_seen} />) },
    { label: t`Open sessions`, count: ({ active_sessions }) => active_sessions },
  ]
  return (
    <QueryResult query={query} rows={4}>
      {(staff) =>
        staff.length === 0 ? (
          <EmptyState
            icon="user"
            title={t`No sign-ins yet`}
            description={<Trans>Provider staff appear here after their first sign-in.</Trans>}
          />
        ) : (
          <DataTable
            caption={t`Staff`}
            columns={columns}
            rows={staff}
            getKey={({ user_reference }) => user_reference}
          />
        )
      }
    </QueryResult>
  )
}

const route = getRouteApi('/internal/')

/** `/internal`: pending work, clients and staff. */
export function OverviewScreen() {
  const { t, i18n } = useLingui()
  const search = overviewSearch(route.useSearch())
  const navigate = useNavigate()
  const may = useMay()
  const change = (changes: OverviewSearch) =>
    void navigate({ to: '/internal', search: { ...search, ...changes }, replace: true, resetScroll: false })
  const tabs = TABS.filter(({ action }) => may(action))
  const shown = tabs.find(({ tab }) => tab === search.tab) ?? tabs[0]
  return (
    <PageTabs
      label={TITLE}
      tabs={tabs.map((each) => ({
        to: '/internal',
        search: { tab: each.tab } as never,
        label: each.label,
        isShown: each === shown,
      }))}
    >
      <PageHeader
        title={i18n._(TITLE)}
        actions={
          may('internal.clients:create') && (
            <Button
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => change({ tab: 'clients', create: true })}
            >
              <Trans>Create a client</Trans>
            </Button>
          )
        }
      />
      {shown?.tab !== 'staff' && <OverviewCards />}
      <Paper mt={shown?.tab === 'staff' ? 0 : 'lg'}>
        {shown === undefined ? (
          <EmptyState
            icon="lock"
            title={t`You have no access here yet`}
            description={<Trans>A provider administrator can give you a role.</Trans>}
          />
        ) : shown.tab === 'clients' ? (
          <ClientsTab search={search} change={change} />
        ) : (
          <StaffTab />
        )}
      </Paper>
    </PageTabs>
  )
}

const TITLE = msg`Overview`
const TABS = [
  { tab: 'clients', label: msg`Clients`, action: 'internal.clients:list' },
  { tab: 'staff', label: msg`Staff`, action: 'internal.staff:list' },
] as const satisfies { tab: (typeof OVERVIEW_TABS)[number]; label: MessageDescriptor; action: string }[]
