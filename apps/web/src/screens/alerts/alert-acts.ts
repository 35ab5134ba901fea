import type { Alert, Answer, Api } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { alertTexts } from './alert-texts.ts'

export type AlertOutcome = Answer<Api['clearAlerts']>['alerts'][number]

/** Clears alerts for all users; the answer has each outcome. */
export async function clearAlerts(
  alert_references: readonly string[],
  cleared_reason: string,
): Promise<readonly AlertOutcome[]> {
  const body = { alert_references: [...alert_references], cleared_reason }
  const { alerts } = await api.clearAlerts({ query: {}, body })
  return alerts
}

/** Dismisses alerts from the user's list. */
export async function dismissAlerts(alert_references: readonly string[]): Promise<readonly AlertOutcome[]> {
  const { alerts } = await api.dismissAlerts({
    query: {},
    body: { alert_references: [...alert_references] },
  })
  return alerts
}

/** Subjects of cached alerts, for naming outcomes. */
export function loadedSubjects(): ReadonlyMap<string, string> {
  const subjects = new Map<string, string>()
  for (const [, data] of queryClient.getQueriesData<{ pages?: { data: Alert[] }[] }>({
    queryKey: keyOf('listAlerts'),
  }))
    for (const { data: rows } of data?.pages ?? [])
      for (const row of rows) subjects.set(row.alert_reference, alertTexts(row).subject)
  return subjects
}
