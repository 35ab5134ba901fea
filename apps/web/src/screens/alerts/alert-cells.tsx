import type { AlertSeverity, AlertState, Alert } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Marked } from '../../components/cells.tsx'
import { SEVERITY_LOOKS } from '../../components/alerts/severity.ts'

interface CellProps {
  row: Alert
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
export const ScopeCell = ({ row }: CellProps) => (
  <SpecWord value={row.alert_scope} words={ALERT_SCOPE_WORDS} />
)
export const TypeCell = ({ row }: CellProps) => <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />
export function DismissedCell({ row }: CellProps) {
  const { t } = useLingui()
  return row.is_dismissed ? <Marked icon="x" tone="calm">{t`Dismissed`}</Marked> : null
}
