import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { Marked } from '../../components/cells.tsx'
import type { Alert, Answer, Api } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { alertTexts } from './alert-texts.ts'
import classes from './alerts.module.css'

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
function loadedSubjects(): ReadonlyMap<string, string> {
  const subjects = new Map<string, string>()
  for (const [, data] of queryClient.getQueriesData<{ pages?: { data: Alert[] }[] }>({
    queryKey: keyOf('listAlerts'),
  }))
    for (const { data: rows } of data?.pages ?? [])
      for (const row of rows) subjects.set(row.alert_reference, alertTexts(row).subject)
  return subjects
}

export type AlertAct = 'clear' | 'dismiss'

const REFUSALS = {
  NoMatchingRecord: msg`Not found, or your roles do not allow it`,
  NotTriggered: msg`Already cleared`,
  NotPermitted: msg`Only users of the previous identity provider can clear this alert`,
} as const
const DONE = { clear: msg`Cleared`, dismiss: msg`Dismissed` } as const

/** Outcome per alert, shown when any failed. */
export function AlertOutcomes(props: {
  act: AlertAct
  outcomes: readonly AlertOutcome[]
  onClose: () => void
}) {
  const { t, i18n } = useLingui()
  const { act, outcomes } = props
  const subjects = loadedSubjects()
  const done = outcomes.filter(({ status }) => status === 'Ok').length
  return (
    <Dialog
      onClose={props.onClose}
      title={act === 'clear' ? t`Not all alerts were cleared` : t`Not all alerts were dismissed`}
    >
      <Stack gap="md">
        <Text component="output" display="block">
          <Trans>
            {done} of {outcomes.length} done.
          </Trans>
        </Text>
        <ul className={classes.outcomes}>
          {outcomes.map(({ alert_reference, status }) => (
            <li key={alert_reference}>
              <span title={alert_reference}>{subjects.get(alert_reference) ?? alert_reference}</span>
              {status === 'Ok' ? (
                <Marked icon="check" tone="good">
                  {i18n._(DONE[act])}
                </Marked>
              ) : (
                <Marked icon="warning" tone="warn">
                  {i18n._(REFUSALS[status])}
                </Marked>
              )}
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button onClick={props.onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
