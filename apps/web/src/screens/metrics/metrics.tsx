import { METRIC_SCOPE_DEFAULT, METRIC_SCOPES, type MetricScope } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Input, Skeleton, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useId } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader, PageTabs } from '../../ui/page-header.tsx'
import { BY, type MetricGrouping, BY_WORDS, metricList, SCOPE_WORDS } from './metric-lists.tsx'
import classes from './series.module.css'

const OverTime = lazy(() => import('./over-time.tsx'))

const route = getRouteApi('/dashboard/devices/metrics')
const to = '/dashboard/devices/metrics' as const

/** The default period is "all time". */
const TABS = METRIC_SCOPES.toSorted(
  (a, b) => Number(b === METRIC_SCOPE_DEFAULT) - Number(a === METRIC_SCOPE_DEFAULT),
)

/** `/dashboard/devices/metrics`: uploads per period (`?scope=`), grouped or individual (`?by=`). */
export function Metrics() {
  const search = route.useSearch()
  const scope = METRIC_SCOPES.find((each) => each === search.scope) ?? METRIC_SCOPE_DEFAULT
  const by = BY.find((each) => each === search.by) ?? getUsual(scope)
  const tabs = TABS.map((each) => ({
    to,
    search: each === METRIC_SCOPE_DEFAULT ? {} : { scope: each },
    label: SCOPE_WORDS[each],
    isShown: each === scope,
  }))
  return (
    <PageTabs label={msg`Metrics`} tabs={tabs}>
      {by === 'each' ? (
        <ListPage key={scope} list={metricList(scope, by)} head={<Head scope={scope} by={by} />} />
      ) : (
        <ListPage key={`${scope} ${by}`} list={metricList(scope, by)} head={<Head scope={scope} by={by} />} />
      )}
    </PageTabs>
  )
}

/** Default grouping: over time for periods, by person for all time. */
const getUsual = (scope: MetricScope): MetricGrouping => (scope === 'Summary' ? 'each' : 'periods')

function Head({ scope, by }: { scope: MetricScope; by: MetricGrouping }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const id = useId()
  const search = route.useSearch()
  return (
    <>
      <PageHeader
        title={t`Metrics`}
        description={t`Uploads by phones, per UTC day.`}
        actions={
          <Group gap="xs">
            <Text size="sm" c="dimmed" component="label" htmlFor={id}>
              <Trans>Counted by</Trans>
            </Text>
            <Input
              id={id}
              component="select"
              pointer
              rightSection={<Icon name="chevron-down" size={14} />}
              rightSectionPointerEvents="none"
              value={by}
              onChange={(event) =>
                void navigate({
                  to,
                  search: { ...search, scope, by: event.currentTarget.value as MetricGrouping },
                })
              }
            >
              {BY.map((each) => (
                <option key={each} value={each}>
                  {i18n._(BY_WORDS[each])}
                </option>
              ))}
            </Input>
          </Group>
        }
      />
      {by === 'periods' && scope !== 'Summary' && (
        <Suspense fallback={<Skeleton className={classes.pending} />}>
          <OverTime key={scope} scope={scope} />
        </Suspense>
      )}
    </>
  )
}
