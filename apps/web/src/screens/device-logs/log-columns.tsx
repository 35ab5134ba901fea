import { AHEAD_SECONDS, type DeviceLog, type LogLevel } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Marked, type Tone } from '../../components/cells.tsx'
import { ownerColumns } from '../../components/devices/owners.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { type Words, wordFilter } from '../../components/words/spec-word.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { RECORDING_FILTER } from '../payloads/recording-name.ts'

/** A column for device times more than a day after arrival; hidden where there is none. */
export function clockAhead<Row extends { received_at: number }>(getTime: (row: Row) => number) {
  const isAhead = (row: Row) => getTime(row) > row.received_at + AHEAD_SECONDS
  return getColumns<Row>().mark('ahead', msg`Clock`, isAhead, {
    width: 130,
    word: msg`Clock ahead`,
    icon: 'clock',
    color: 'orange',
    stacked: 'line',
    hasValue: isAhead,
  })
}

const LOG_LEVEL_WORDS: Words<LogLevel> = {
  DEBUG: msg({ context: 'log level', message: 'Detail' }),
  INFO: msg({ context: 'log level', message: 'Information' }),
  WARN: msg({ context: 'log level', message: 'Warning' }),
  ERROR: msg({ context: 'log level', message: 'Error' }),
}

const column = getColumns<DeviceLog>()

const STYLES = {
  DEBUG: { icon: 'more', tone: 'plain' },
  INFO: { icon: 'info', tone: 'info' },
  WARN: { icon: 'warning', tone: 'warn' },
  ERROR: { icon: 'alert-circle', tone: 'bad' },
} as const satisfies Record<LogLevel, { icon: IconName; tone: Tone }>

/** A level as icon, word and colour. */
export function Level({ level }: { level: LogLevel }) {
  const { i18n } = useLingui()
  return (
    <Marked {...STYLES[level]} title={level}>
      {i18n._(LOG_LEVEL_WORDS[level])}
    </Marked>
  )
}

const MessageCell = ({ row: { log_message } }: { row: DeviceLog }) => (
  <span title={visible(log_message)}>{visible(log_message)}</span>
)

/** Columns shared by all log lists. */
export const LOG_COLUMNS = {
  time: column.moment('log_datetime', msg`Time`, {
    width: 186,
    seconds: true,
    stacked: 'line',
    time: 'log_datetime',
  }),
  ahead: clockAhead<DeviceLog>((row) => row.log_datetime),
  level: column.drawn(
    'level',
    msg`Level`,
    ({ row }) => <Level level={row.log_level} />,
    (row) => row.log_level,
    { width: 120, stacked: 'end' },
  ),
  message: column.drawn('message', msg`Message`, MessageCell, (row) => row.log_message, {
    width: 240,
    grow: 3,
    stacked: 'lead',
  }),
  log_class: column.text('log_class', msg`Part of the app`, { width: 130, grow: 0.6, stacked: 'line' }),
  ...ownerColumns<DeviceLog>(),
  group: column.group('group', msg`Group`, { width: 100, grow: 0.4 }),
  recording: column.reference('recording', msg`Recording`, (row) => row.payload_reference ?? '', {
    width: 110,
    isOptional: true,
  }),
  zone: column.text('zone', msg`Phone time zone`, (row) => row.local_timezone, {
    width: 140,
    isOptional: true,
  }),
  received: column.moment('received_at', msg`Received`, { isOptional: true }),
  id: column.text('log_id', msg`Log`, { width: 140, isOptional: true }),
}

/** Filters shared by all log lists. */
export const LOG_FILTERS = [
  { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Text of the message` },
  wordFilter('levels', msg`Level`, LOG_LEVEL_WORDS),
  { name: 'log_class', kind: 'text', label: msg`Part of the app` },
  { ...RECORDING_FILTER, isFirst: undefined },
] as const
