import type { Statistics } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Box, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { statisticsQuery, useClientName } from '../../components/clients/clients.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import type { Words } from '../../components/words/spec-word.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { PagePending } from '../../ui/page-pending.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

const Telemetry = lazy(() =>
  import('../telemetry/telemetry-lists.tsx').then((pages) => ({
    default: pages.ProviderTelemetryTab,
  })),
)
const Growth = lazy(() => import('./growth.tsx'))
/** Pixels that the charts take, by width: two side by side, or one below the other. */
const GROWTH_HEIGHT = { base: 1180, lg: 420 }
/** Counted entities, by their names in the specification (section 3). */
const ENTITY_WORDS: Words<string> = {
  Alert: msg`Alerts`,
  AlertSubscription: msg`Alert e-mail subscriptions`,
  AlertWebhook: msg`Webhooks`,
  CaptureGap: msg`Capture gaps`,
  ClientApp: msg`Apps`,
  DataRequest: msg`Data subject requests`,
  Destruction: msg`Destruction lists`,
  Device: msg`Devices`,
  DeviceUser: msg`Device users`,
  Enrolment: msg`Enrolments`,
  GpsPoint: msg`Positions`,
  Group: msg`Groups`,
  LegalHold: msg`Legal holds`,
  LegalMatter: msg`Legal matters`,
  Migration: msg`Migrations`,
  Payload: msg`Recordings`,
  PortalUser: msg`People with a session`,
  Proposal: msg`Approvals`,
  RetentionPolicy: msg`Retention policy versions`,
  Role: msg`Roles`,
  SupportAccessRequest: msg`Support access requests`,
  Tag: msg`Tags`,
  TransferConfig: msg`Transfer configurations`,
}
const route = getRouteApi('/internal/statistics')
const to = '/internal/statistics' as const

/** `/internal/statistics`: figures of the installation; `?tab=telemetry` shows device telemetry of all clients. */
export function StatisticsScreen() {
  const { tab } = route.useSearch()
  const mayList = useMay()('internal.telemetry:list')
  const isTelemetry = tab === 'telemetry' && mayList
  const tabs = [
    { to, search: {}, label: msg`Statistics`, isShown: !isTelemetry },
    { to, search: { tab: 'telemetry' as const }, label: msg`Telemetry`, isShown: isTelemetry },
  ]
  return (
    <PageTabs label={msg`Statistics`} tabs={mayList ? tabs : []}>
      {isTelemetry ? (
        <Suspense fallback={<PagePending />}>
          <Telemetry />
        </Suspense>
      ) : (
        <Installation />
      )}
    </PageTabs>
  )
}

/** Counts and sizes of the stored data, for integrity checks. */
function Installation() {
  const { t, i18n } = useLingui()
  const query = useQuery(statisticsQuery)
  return (
    <>
      <PageHeader
        title={t`Statistics`}
        description={
          <>
            <Trans>Records of this installation; each line opens by client.</Trans>{' '}
            <CountedAt statistics={query.data} />
          </>
        }
        actions={
          <Button
            variant="default"
            leftSection={<Icon name="refresh" size={16} />}
            title={t`Shows the latest hourly count.`}
            loading={query.isRefetching}
            onClick={() => void query.refetch()}
          >
            <Trans>Refresh</Trans>
          </Button>
        }
      />
      <Stack gap="lg">
        <QueryResult query={query} rows={12}>
          {({ entities, tables, buckets, log_groups, growth }) => (
            <>
              <Suspense fallback={<Skeleton h={GROWTH_HEIGHT} />}>
                <Growth growth={growth} />
              </Suspense>
              <Figures
                title={t`Records`}
                figures={entities.map(({ entity, ...figure }) => ({
                  name: entity,
                  word: ENTITY_WORDS[entity] && i18n._(ENTITY_WORDS[entity]),
                  ...figure,
                }))}
              />
              <details>
                <Text component="summary" py="xs" style={{ cursor: 'pointer' }}>
                  <Trans>Tables, buckets and log groups</Trans>
                </Text>
                <Stack gap="lg">
                  <Figures title={t`Tables`} figures={tables} />
                  <Figures title={t`Buckets`} figures={buckets} />
                  <Figures title={t`Log groups`} figures={log_groups} />
                </Stack>
              </details>
            </>
          )}
        </QueryResult>
      </Stack>
    </>
  )
}

/** Any time: it is as wide as another. */
const ANY_TIME = 1_700_000_000

/** Time of the last count. Until it is known, its place is kept: on a narrow screen the sentence has a line more. */
function CountedAt({ statistics }: { statistics: Statistics | undefined }) {
  const { growth: _growth, ...figures } = statistics ?? {}
  const times = Object.values(figures)
    .flat()
    .map(({ updated_at }) => updated_at)
  if (statistics && times.length === 0) return <Trans>Counted every hour.</Trans>
  return (
    <span style={{ visibility: statistics ? undefined : 'hidden' }}>
      <Trans>
        Counted every hour, last at <Time at={statistics ? Math.max(...times) : ANY_TIME} />.
      </Trans>
    </span>
  )
}

function Figures({ title, figures }: { title: string; figures: readonly Figure[] }) {
  const { t, i18n } = useLingui()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (name: string) =>
    setOpen((before) => {
      const after = new Set(before)
      if (!after.delete(name)) after.add(name)
      return after
    })
  const columns: DataColumn<Figure>[] = [
    {
      label: t`Name`,
      cell: ({ name, word = name, clients }) => (
        <FigureName
          name={word}
          isOpen={open.has(name)}
          onToggle={clients.length === 0 ? undefined : () => toggle(name)}
        />
      ),
    },
    { label: t`Count`, count: ({ count }) => count },
    {
      label: t`Size (MB)`,
      align: 'end',
      cell: ({ size_mb }) => <span className="tabular">{i18n.number(size_mb, MEGABYTES)}</span>,
    },
    { label: t`Clients`, count: ({ clients }) => clients.length },
    { label: t`Updated`, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
  return (
    <Paper>
      <Box px="sm" pt="sm">
        <Title order={2}>{title}</Title>
      </Box>
      {figures.length === 0 ? (
        <EmptyState
          title={t`No counts yet`}
          description={<Trans>This installation has no records of this kind.</Trans>}
        />
      ) : (
        <DataTable
          caption={title}
          columns={columns}
          rows={figures}
          getKey={({ name }) => name}
          details={(figure) => open.has(figure.name) && <ByClient figure={figure} />}
        />
      )}
    </Paper>
  )
}

/** Name of a figure, and a button for its clients. */
function FigureName(props: { name: string; isOpen: boolean; onToggle: (() => void) | undefined }) {
  const { t } = useLingui()
  const { name, isOpen, onToggle } = props
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        style={onToggle === undefined ? { visibility: 'hidden' } : undefined}
        aria-expanded={isOpen}
        aria-label={t`${name} by client`}
        onClick={onToggle}
      >
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={15} />
      </ActionIcon>
      <strong>{name}</strong>
    </Group>
  )
}

/** Share of each client in a figure, largest first. */
function ByClient({ figure }: { figure: Pick<Figure, 'name' | 'clients'> }) {
  const { i18n } = useLingui()
  const clientName = useClientName()
  return (
    <Box maw={560} ml={28}>
      <Facts>
        {figure.clients
          .toSorted((a, b) => b.count - a.count || a.client.localeCompare(b.client))
          .map(({ client, count, size_mb }) => (
            <Fact key={client} label={<span title={client}>{clientName(client)}</span>}>
              {i18n.number(count)}
              {size_mb !== null && ` · ${i18n.number(size_mb, MEGABYTES)} MB`}
            </Fact>
          ))}
      </Facts>
    </Box>
  )
}

/** Counted entities by their specification name (section 3). */
type Figure = Statistics['tables'][number] & { word?: string | undefined }

/** Large sizes without decimals, small ones with two digits: `12,346`, `1.5`, `0.0041`. */
const MEGABYTES = {
  maximumFractionDigits: 0,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
} as const
