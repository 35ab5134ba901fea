import type { AlertSummary, Answer, Api } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { queryClient } from '../../api/query-client.ts'
import { refreshLists } from '../../components/lists/refresh-list.ts'
import { alertSummaryQuery } from '../../components/alerts/alert-summary-query.ts'
import { toldAlert } from './told-alert.ts'

export type AlertOutcome = Answer<Api['clearAlerts']>['alerts'][number]

export const alertQueryKey = (reference: string) => ['alert', reference] as const

/** Clears alerts for everybody; the answer says for each what became of it. */
export async function clearAlerts(
  alert_references: readonly string[],
  cleared_reason: string,
): Promise<readonly AlertOutcome[]> {
  const body = { alert_references: [...alert_references], cleared_reason }
  const { alerts } = await api.clearAlerts({ query: {}, body })
  await alertsChanged(alert_references)
  return alerts
}

/** Takes alerts off the reader's own list. */
export async function dismissAlerts(alert_references: readonly string[]): Promise<readonly AlertOutcome[]> {
  const { alerts } = await api.dismissAlerts({
    query: {},
    body: { alert_references: [...alert_references] },
  })
  await alertsChanged(alert_references)
  return alerts
}

/** Reads again whatever shows these alerts: lists, previews, the counts beside the bell. */
async function alertsChanged(references: readonly string[]): Promise<void> {
  await Promise.all([
    refreshLists('alerts'),
    queryClient.invalidateQueries({ queryKey: alertSummaryQuery.queryKey }),
    ...references.map((reference) => queryClient.invalidateQueries({ queryKey: alertQueryKey(reference) })),
  ])
}

/** The subjects of alerts that some list has loaded, so that a result can name them. */
export function loadedSubjects(): ReadonlyMap<string, string> {
  const subjects = new Map<string, string>()
  for (const [, data] of queryClient.getQueriesData<{ pages?: { data: AlertSummary[] }[] }>({
    queryKey: ['list', 'alerts'],
  }))
    for (const { data: rows } of data?.pages ?? [])
      for (const row of rows) subjects.set(row.alert_reference, toldAlert(row).subject)
  return subjects
}
