import { alertEndpoints, type Answer, type Api, BATCH_LIMIT } from '@custodia/contract'
import { plural, msg, t } from '@lingui/core/macro'
import { Trans, useLingui, Plural } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { noticeDone } from '../../api/notices.ts'
import { Marked } from '../../components/cells.tsx'
import { wireFilters } from '../../components/lists/call-search.ts'
import { saveCsv } from '../../components/lists/csv.ts'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { flag, type ListSearch } from '../../components/lists/list-search.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { incidentSearch } from './alert-addresses.ts'
import { alertTexts, isIncident, loadedAlerts } from './alert-cells.tsx'
import classes from './alerts.module.css'

/** Clear and dismiss, for one alert or a selection, with each outcome. */
export default function AlertButtons(props: {
  keys: readonly string[]
  /** All alerts that match the filters, instead of `keys`. */
  matching?: MatchingRows | undefined
  onDone: () => void
  /** Why clear or dismiss is unavailable. */
  clearReason?: string | undefined
  dismissReason?: string | undefined
}) {
  const { t, i18n } = useLingui()
  const { onDone } = props
  const raw: { is_folded?: unknown } = useSearch({ strict: false })
  const incidents = flag(raw.is_folded) ? getIncidents(props.keys) : []
  const count = incidents.reduce((sum, { incident }) => sum + incident.alert_count - 1, props.keys.length)
  const sets = getSets(props, raw, incidents)
  const [isAsking, setAsking] = useState(false)
  const [result, setResult] = useState<{ act: AlertAct; outcomes: readonly AlertOutcome[] }>()
  const finish = (act: AlertAct, outcomes: readonly AlertOutcome[]) => {
    setAsking(false)
    // What another user has cleared meanwhile needs no action.
    if (outcomes.some(({ status }) => !['Ok', 'NotTriggered'].includes(status)))
      return setResult({ act, outcomes })
    const done = outcomes.filter(({ status }) => status === 'Ok').length
    noticeDone(
      done === 0
        ? i18n._(REFUSALS.NotTriggered)
        : act === 'clear'
          ? t`${plural(done, { one: '# alert cleared', other: '# alerts cleared' })}`
          : t`${plural(done, { one: '# alert dismissed', other: '# alerts dismissed' })}`,
    )
    onDone()
  }
  const dismissal = useMutation({
    mutationFn: () => dismissAlerts(sets),
    onSuccess: (outcomes) => finish('dismiss', outcomes),
  })
  return (
    <>
      <MayButton
        action="alerts:clear"
        reason={props.clearReason}
        size="xs"
        leftSection={<Icon name="check" size={15} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Clear…</Trans>
      </MayButton>
      <MayButton
        action="alerts:dismiss"
        reason={props.dismissReason}
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
          count={props.matching ? undefined : count}
          clear={(reason) => clearAlerts(sets, reason)}
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

/** The calls for the chosen alerts: one for all that match, or for alerts by key and each incident. */
function getSets(
  { keys, matching }: { keys: readonly string[]; matching?: MatchingRows | undefined },
  raw: object,
  incidents: ReturnType<typeof getIncidents>,
): AlertSet[] {
  if (matching) return [{ query: matching.getQuery(), all: true }]
  return [
    ...getBatches(keys.filter((key) => !incidents.some(({ alert_reference }) => alert_reference === key))),
    ...incidents.map((row) => ({ query: getQuery(incidentSearch(raw, row)), all: true as const })),
  ]
}

export type AlertOutcome = Answer<Api['clearAlerts']>['alerts'][number]

/** Alerts of one call: these, or all triggered ones that match the query. */
type AlertSet = { query: object } & ({ alert_references: string[] } | { all: true })

const getBatches = (references: readonly string[]): AlertSet[] =>
  Array.from({ length: Math.ceil(references.length / BATCH_LIMIT) }, (_, i) => ({
    query: {},
    alert_references: references.slice(i * BATCH_LIMIT, (i + 1) * BATCH_LIMIT),
  }))

/** Clears alerts for all users; the answer has each outcome. */
const clearAlerts = (sets: readonly AlertSet[], cleared_reason: string): Promise<readonly AlertOutcome[]> =>
  inTurn(sets, ({ query, ...body }) => api.clearAlerts({ query, body: { ...body, cleared_reason } }))

/** Dismisses alerts from the user's list. */
const dismissAlerts = (sets: readonly AlertSet[]): Promise<readonly AlertOutcome[]> =>
  inTurn(sets, ({ query, ...body }) => api.dismissAlerts({ query, body }))

/** One call for each set, in turn: after a failure the rest is unchanged. */
async function inTurn(
  sets: readonly AlertSet[],
  act: (set: AlertSet) => Promise<{ alerts: AlertOutcome[]; is_cut: boolean }>,
): Promise<readonly AlertOutcome[]> {
  const outcomes: AlertOutcome[] = []
  for (const set of sets) {
    const { alerts, is_cut } = await act(set)
    outcomes.push(...alerts)
    if (is_cut) noticeDone(t`More alerts match: this is the limit of one operation.`)
  }
  return outcomes
}

/** The rows among these that stand for several alerts. */
const getIncidents = (keys: readonly string[]) => {
  const rows = new Map(
    loadedAlerts()
      .filter(isIncident)
      .map((row) => [row.alert_reference, row]),
  )
  return keys.flatMap((key) => rows.get(key) ?? [])
}

const getQuery = (search: ListSearch): object =>
  wireFilters(alertEndpoints.clearAlerts.query, search, Date.now())

/** Subjects of cached alerts, for naming outcomes. */
const loadedSubjects = (): ReadonlyMap<string, string> =>
  new Map(loadedAlerts().map((row) => [row.alert_reference, alertTexts(row).subject]))

export type AlertAct = 'clear' | 'dismiss'

const REFUSALS = {
  NoMatchingRecord: msg`Not found`,
  NotTriggered: msg`Already cleared`,
  NotPermitted: msg`Your roles do not allow it`,
  OtherIssuer: msg`Only users of the previous identity provider can clear this alert`,
} as const
const DONE = { clear: msg`Cleared`, dismiss: msg`Dismissed` } as const

/** Most outcomes shown by name; the others are counted, as are those of alerts that are not loaded. */
const SHOWN = 100

function OutcomeMark({ act, status }: { act: AlertAct; status: AlertOutcome['status'] }) {
  const { i18n } = useLingui()
  const isDone = status === 'Ok'
  return (
    <Marked icon={isDone ? 'check' : 'warning'} tone={isDone ? 'good' : 'warn'}>
      {i18n._(isDone ? DONE[act] : REFUSALS[status])}
    </Marked>
  )
}

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
  // Those that failed come first; a set may have thousands.
  const sorted = outcomes.toSorted(
    (one, other) => Number(one.status === 'Ok') - Number(other.status === 'Ok'),
  )
  const named = sorted.filter(({ alert_reference }) => subjects.has(alert_reference)).slice(0, SHOWN)
  const others = new Map<AlertOutcome['status'], number>()
  for (const outcome of sorted)
    if (!named.includes(outcome)) others.set(outcome.status, (others.get(outcome.status) ?? 0) + 1)
  return (
    <Dialog
      onClose={props.onClose}
      title={act === 'clear' ? t`Not all alerts were cleared` : t`Not all alerts were dismissed`}
    >
      <Stack>
        <Text component="output" display="block">
          <Trans>
            {done} of {outcomes.length} done.
          </Trans>
        </Text>
        <ul className={classes.outcomes}>
          {named.map(({ alert_reference, status }) => (
            <li key={alert_reference}>
              <span title={alert_reference}>{subjects.get(alert_reference)}</span>
              <OutcomeMark {...{ act, status }} />
            </li>
          ))}
          {[...others].map(([status, count]) => (
            <li key={status}>
              <Plural value={count} one="# other alert" other="# other alerts" />
              <OutcomeMark {...{ act, status }} />
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() =>
              saveCsv(
                'outcomes',
                [
                  [t`Subject`, t`Reference`, t`Outcome`],
                  ...outcomes.map(({ alert_reference, status }) => [
                    subjects.get(alert_reference),
                    alert_reference,
                    i18n._(status === 'Ok' ? DONE[act] : REFUSALS[status]),
                  ]),
                ],
                i18n.locale,
              )
            }
          >
            <Trans>Save as CSV</Trans>
          </Button>
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
  /** Undefined: all that match. */
  count: number | undefined
  clear: (reason: string) => Promise<Outcome>
  onClose: () => void
  onDone: (outcome: Outcome) => void
}) {
  const { t } = useLingui()
  return (
    <ReasonDialog
      title={
        props.count === undefined ? (
          <Trans>Clear all matching alerts</Trans>
        ) : (
          <Plural value={props.count} one="Clear # alert" other="Clear # alerts" />
        )
      }
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
