import type { TransferItemState, TransferProblem, TransferState as State } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { TRANSFER_PROBLEM_WORDS, TRANSFER_STATE_WORDS } from '../../components/transfers/transfer-words.ts'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'
import { visible } from '../../ui/visible.ts'

const STYLES: BadgeStyles<State | TransferItemState> = {
  Pending: { color: 'gray', icon: 'clock' },
  InProgress: { color: 'blue', icon: 'clock' },
  Succeeded: { color: 'teal', icon: 'check' },
  PartialFail: { color: 'orange', icon: 'warning' },
  Failed: { color: 'red', icon: 'alert-circle' },
}

/** State of a run or item. */
export function TransferState({ state }: { state: State | TransferItemState }) {
  return <WordBadge value={state} words={TRANSFER_STATE_WORDS} styles={STYLES} />
}

/** Failure reason, translated where it is a known cause. */
export function FailureReason({ message }: { message: string }) {
  const { i18n } = useLingui()
  return <span title={visible(message)}>{reasonText(i18n, message)}</span>
}

function reasonText(i18n: I18n, message: string): string {
  const [code = ''] = message.split(/[:\s]/, 1)
  return code in TRANSFER_PROBLEM_WORDS
    ? i18n._(TRANSFER_PROBLEM_WORDS[code as TransferProblem])
    : visible(message)
}

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
/** A Sunday. */
const FIRST_SUNDAY = Date.UTC(2023, 0, 1)

/** A schedule in words, in UTC; an expression that has none as it is. */
export function ScheduleWords({ schedule }: { schedule: string | null }) {
  const { i18n } = useLingui()
  return <span title={schedule ?? undefined}>{scheduleWords(schedule, i18n)}</span>
}

function scheduleWords(schedule: string | null, i18n: I18n): string {
  if (schedule === null) return i18n._(msg`On demand`)
  if (schedule === 'rate(1 hour)') return i18n._(msg`Every hour`)
  const [, minute, hour, date, weekday = ''] = /^cron\((\d+) (\d+) (\S+) \* (\S+) \*\)$/.exec(schedule) ?? []
  const time = `${hour?.padStart(2, '0')}:${minute?.padStart(2, '0')} UTC`
  const place = DAYS.indexOf(weekday)
  if (date === '*' && weekday === '?') return i18n._(msg`Daily, ${time}`)
  if (date === '?' && weekday === 'MON-FRI') return i18n._(msg`Weekdays, ${time}`)
  if (date === '?' && place >= 0) {
    const day = i18n.date(new Date(FIRST_SUNDAY + place * 86_400_000), { weekday: 'long', timeZone: 'UTC' })
    return `${day.charAt(0).toUpperCase()}${day.slice(1)}, ${time}`
  }
  if (date === '1' && weekday === '?') return i18n._(msg`First of the month, ${time}`)
  return schedule
}
