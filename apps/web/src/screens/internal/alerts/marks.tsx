import type { AlertSeverity, AlertState } from '@custodia/contract'
import { Marked } from '../../account/cells.tsx'
import { SEVERITY_LOOKS } from '../../account/alerts/severity.ts'

/** Icon, colour and the severity itself, as specified (section 3). */
export const SeverityMark = ({ severity }: { severity: AlertSeverity }) => (
  <Marked icon={SEVERITY_LOOKS[severity].icon} tone={SEVERITY_LOOKS[severity].tone}>
    {severity}
  </Marked>
)

/** Icon, colour and the state itself, as specified (section 4). */
export const AlertStateMark = ({ state }: { state: AlertState }) => (
  <Marked icon={state === 'Triggered' ? 'bell' : 'check'} tone={state === 'Triggered' ? 'warn' : 'good'}>
    {state}
  </Marked>
)
