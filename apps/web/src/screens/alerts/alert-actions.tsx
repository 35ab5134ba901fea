import { plural, msg } from '@lingui/core/macro'
import { Trans, useLingui, Plural } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { Button, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { Marked } from '../../components/cells.tsx'
import type { Alert, Answer, Api } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { alertTexts } from './alert-cells.tsx'
import classes from './alerts.module.css'
import { ReasonDialog } from '../../components/reason-dialog.tsx'

/** Clear and dismiss, for one alert or a selection, with each outcome. */
export default function AlertButtons({
  keys,
  onDone,
  clearReason,
  dismissReason,
}: {
  keys: readonly string[]
  onDone: () => void
  /** Why clear or dismiss is unavailable. */
  clearReason?: string | undefined
  dismissReason?: string | undefined
}) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const [result, setResult] = useState<{ act: AlertAct; outcomes: readonly AlertOutcome[] }>()
  const finish = (act: AlertAct, outcomes: readonly AlertOutcome[]) => {
    setAsking(false)
    const count = outcomes.length
    if (outcomes.some(({ status }) => status !== 'Ok')) return setResult({ act, outcomes })
    noticeDone(
      act === 'clear'
        ? t`${plural(count, { one: '# alert cleared', other: '# alerts cleared' })}`
        : t`${plural(count, { one: '# alert dismissed', other: '# alerts dismissed' })}`,
    )
    onDone()
  }
  const dismissal = useMutation({
    mutationFn: () => dismissAlerts(keys),
    onSuccess: (outcomes) => finish('dismiss', outcomes),
  })
  return (
    <>
      <MayButton
        action="alerts:clear"
        reason={clearReason}
        size="xs"
        leftSection={<Icon name="check" size={15} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Clear…</Trans>
      </MayButton>
      <MayButton
        action="alerts:dismiss"
        reason={dismissReason}
        size="xs"
        variant="default"
        leftSection={<Icon name="x" size={15} />}
        loading={dismissal.isPending}
        onClick={() => dismissal.mutate()}
      >
        <Trans>Dismiss</Trans>
      </MayButton>
      {isAsking && (
        <ClearAlerts
          count={keys.length}
          clear={(reason) => clearAlerts(keys, reason)}
          onClose={() => setAsking(false)}
          onDone={(outcomes) => finish('clear', outcomes)}
        />
      )}
      {result !== undefined && (
        <AlertOutcomes
          {...result}
          onClose={() => {
            setResult(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}

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

/** Asks for the reason and clears; `onDone` receives the outcomes. */
export function ClearAlerts<Outcome>(props: {
  count: number
  clear: (reason: string) => Promise<Outcome>
  onClose: () => void
  onDone: (outcome: Outcome) => void
}) {
  const { t } = useLingui()
  return (
    <ReasonDialog
      title={<Plural value={props.count} one="Clear # alert" other="Clear # alerts" />}
      name="cleared_reason"
      description={t`Findings and actions taken.`}
      limits={{ min: 3, max: 1000 }}
      submitLabel={<Trans context="alerts">Clear</Trans>}
      save={props.clear}
      onSaved={props.onDone}
      onClose={props.onClose}
    >
      <Text>
        <Trans>Clearing applies to all users. If the cause returns, the alert triggers again.</Trans>
      </Text>
    </ReasonDialog>
  )
}
