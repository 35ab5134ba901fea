import {
  type DeviceMetric,
  metricEndpoints,
  type MetricScope,
  type MetricSubject,
  PAYLOAD_TYPES,
  type PayloadMetric,
  text,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { metricsApi } from '../../api/metrics-api.ts'
import { Faint } from '../../components/cells.tsx'
import { columnsOf } from '../../components/lists/columns.tsx'
import { resolveDate } from '../../components/lists/date-range.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { useGroupOptions } from '../payloads/payload-choices.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord, wordOptions } from '../../components/words/spec-word.tsx'
import { visible } from '../../ui/visible.ts'
import { BY_WORDS, type By } from './metric-words.ts'
import { periodOfId, periodText } from './period.ts'

const to = '/dashboard/devices/metrics' as const

/** Label of the period that begins at `start`. */
function Period({ scope, start }: { scope: MetricScope; start: number | null }) {
  const { i18n } = useLingui()
  if (scope === 'Summary' || start === null)
    return <Faint word={msg({ context: 'metrics', message: 'All time' })} />
  return <span>{periodText(scope, start, i18n.locale)}</span>
}

/** Calendar days of the user: metrics use UTC days, whatever the user's zone. */
function calendarDays(search: { from?: string | undefined; to?: string | undefined }) {
  const day = (seconds: number | undefined) => {
    if (seconds === undefined) return undefined
    const date = new Date(seconds * 1000)
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
  }
  const now = Date.now()
  const end = resolveDate(search.to, 'end', now)
  return { from: day(resolveDate(search.from, 'start', now)), to: day(end === undefined ? end : end - 1) }
}

const FILTERS = [
  {
    name: 'payload_types',
    kind: 'choice',
    label: msg`Type`,
    useOptions: wordOptions(PAYLOAD_TYPE_WORDS, PAYLOAD_TYPES),
  },
  { name: 'groups', kind: 'choice', label: msg`Group`, useOptions: useGroupOptions },
  { name: 'device_reference', kind: 'text', label: msg`Device` },
  { name: 'device_user_reference', kind: 'text', label: msg`Device user` },
] as const

const sharedOf = (scope: MetricScope, by: By) => ({
  key: text(1, 400),
  name: `metrics ${scope} by ${by}`,
  kind: `metrics-by-${by}`,
  title: msg`Metrics`,
  icon: 'overview' as const,
  to,
  part: { scope, by },
  filters: FILTERS,
  ...(scope !== 'Summary' && {
    dates: [{ value: 'period', label: msg({ context: 'metrics', message: 'Period' }) }],
    refine: calendarDays,
  }),
  noMatch: msg`No metrics match`,
  empty: {
    title: msg`No metrics yet`,
    description: msg`Uploads per phone are counted here on arrival.`,
  },
})

const each = columnsOf<DeviceMetric>()

/** Individual counts: by device, holder, group and type. */
const eachOf = (scope: MetricScope) =>
  defineList({
    ...sharedOf(scope, 'each'),
    call: 'listMetrics',
    row: metricEndpoints.listMetrics,
    ask: (input, options) => metricsApi.listMetrics({ ...input, params: { scope } }, options),
    keyOf: (row) =>
      [row.period, row.device_reference, row.device_user_reference, row.group, row.payload_type].join(' '),
    columns: [
      ...(scope === 'Summary'
        ? []
        : [
            each.drawn(
              'period',
              msg({ context: 'metrics', message: 'Period' }),
              ({ row }) => <Period scope={scope} start={row.period} />,
              (row) => (row.period === null ? '' : new Date(row.period * 1000).toISOString().slice(0, 10)),
              { width: 170, stacked: 'line' },
            ),
          ]),
      each.text('user', msg`Device user`, (row) => row.device_user_reference, {
        width: 140,
        grow: 1,
        stacked: 'lead',
      }),
      each.drawn(
        'type',
        msg`Type`,
        ({ row }) => <SpecWord value={row.payload_type} words={PAYLOAD_TYPE_WORDS} />,
        (row) => row.payload_type,
        { width: 130, stacked: 'line' },
      ),
      each.count('count', msg`Count`, (row) => row.count, { width: 90, stacked: 'end' }),
      each.reference('device', msg`Device`, (row) => row.device_reference, { width: 110 }),
      each.text('group', msg`Group`, (row) => row.group, { width: 110, grow: 0.6 }),
      each.moment('first', msg`First`, (row) => row.first_occurrence, { width: 154 }),
      each.moment('last', msg`Last`, (row) => row.last_occurrence, { width: 154, stacked: 'line' }),
      each.moment('updated_at', msg`Counted`, (row) => row.updated_at, { width: 154, isOptional: true }),
    ],
  })

const counted = columnsOf<PayloadMetric>()

const typeColumns: ListColumn<PayloadMetric>[] = PAYLOAD_TYPES.map((type) =>
  counted.count(type, PAYLOAD_TYPE_WORDS[type], (row) => row.counts[type], { width: 104 }),
)

/** Counts grouped by one dimension, a column per type. */
const countsOf = (scope: MetricScope, subject: MetricSubject) =>
  defineList({
    ...sharedOf(scope, subject),
    call: 'countMetrics',
    row: metricEndpoints.countMetrics,
    ask: (input, options) => metricsApi.countMetrics({ ...input, params: { scope, subject } }, options),
    keyOf: (row) => row.id ?? '',
    columns: [
      counted.drawn(
        'id',
        BY_WORDS[subject],
        ({ row: { id } }) =>
          subject === 'periods' ? (
            <Period scope={scope} start={id === 'Summary' ? null : periodOfId(id)} />
          ) : id === null ? (
            <Faint word={msg({ context: 'metrics', message: 'Unassigned' })} />
          ) : (
            <strong title={visible(id)}>{visible(id)}</strong>
          ),
        (row) => row.id,
        { width: 190, grow: 1, stacked: 'lead' },
      ),
      counted.count('count', msg`Count`, (row) => row.count, { width: 100, stacked: 'end' }),
      ...typeColumns,
    ],
  })

const lists = new Map<string, ReturnType<typeof eachOf> | ReturnType<typeof countsOf>>()

/** List of a scope grouped by one dimension; memoised, so that its identity is stable. */
export function metricList(scope: MetricScope, by: 'each'): ReturnType<typeof eachOf>
export function metricList(scope: MetricScope, by: MetricSubject): ReturnType<typeof countsOf>
export function metricList(scope: MetricScope, by: By) {
  const key = `${scope} ${by}`
  const known = lists.get(key)
  const made = known ?? (by === 'each' ? eachOf(scope) : countsOf(scope, by))
  if (known === undefined) lists.set(key, made)
  return made
}
