import type { AlertSeverity, AlertState, AlertSummary } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Marked, Mono, Moment, Plain } from '../../components/cells.tsx'
import classes from './alerts.module.css'
import { SEVERITY_LOOKS } from '../../components/alerts/severity.ts'
import { toldAlert } from './told-alert.ts'

interface CellProps {
  row: AlertSummary
}

/** A severity as icon, word and colour. */
export function Severity({ severity }: { severity: AlertSeverity }) {
  const { i18n } = useLingui()
  return (
    <Marked {...SEVERITY_LOOKS[severity]} title={severity}>
      {i18n._(ALERT_SEVERITY_WORDS[severity])}
    </Marked>
  )
}

const STATE_LOOKS = {
  Triggered: { icon: 'bell', tone: 'plain' },
  Cleared: { icon: 'check', tone: 'calm' },
} as const

/** A state as icon, word and colour. */
export function AlertStateMark({ state }: { state: AlertState }) {
  const { i18n } = useLingui()
  return (
    <Marked {...STATE_LOOKS[state]} title={state}>
      {i18n._(ALERT_STATE_WORDS[state])}
    </Marked>
  )
}

export const SeverityCell = ({ row }: CellProps) => <Severity severity={row.alert_severity} />
export const StateCell = ({ row }: CellProps) => <AlertStateMark state={row.alert_state} />
export function SubjectCell({ row }: CellProps) {
  const { subject } = toldAlert(row)
  return (
    <span className={classes.subject} title={subject}>
      {subject}
    </span>
  )
}
export const MessageCell = ({ row }: CellProps) => <Plain value={toldAlert(row).message} />
export const ScopeCell = ({ row }: CellProps) => (
  <SpecWord value={row.alert_scope} words={ALERT_SCOPE_WORDS} />
)
export const TypeCell = ({ row }: CellProps) => <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />
export const KeyCell = ({ row }: CellProps) => <Mono value={row.alert_key} />
export const FirstCell = ({ row }: CellProps) => <Moment at={row.first_occurrence} />
export const LastCell = ({ row }: CellProps) => <Moment at={row.last_occurrence} />
export const ReferenceCell = ({ row }: CellProps) => (
  <Mono value={row.alert_reference} show={`…${row.alert_reference.slice(-8)}`} />
)

export function CountCell({ row }: CellProps) {
  const { i18n } = useLingui()
  return i18n.number(row.occurrence_count)
}

export function DismissedCell({ row }: CellProps) {
  const { t } = useLingui()
  return row.is_dismissed ? <Marked icon="x" tone="calm">{t`Dismissed`}</Marked> : null
}
