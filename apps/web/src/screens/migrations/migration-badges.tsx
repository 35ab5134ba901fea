import type { MigrationResultClass, MigrationState as State } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { MIGRATION_STATE_WORDS, RESULT_CLASS_WORDS } from './migration-words.ts'

type Look = [color: string, icon: IconName]

const STATES: Readonly<Record<State, Look>> = {
  Pending: ['blue', 'clock'],
  Quarantined: ['red', 'shield-alert'],
  Migrated: ['teal', 'check'],
  PartialFail: ['orange', 'warning'],
  Failed: ['red', 'alert-circle'],
}

const CLASSES: Readonly<Record<MigrationResultClass, Look>> = {
  error: ['red', 'alert-circle'],
  warning: ['orange', 'warning'],
  success: ['teal', 'check'],
}

/** Outcome of a run. A dry run migrates nothing. */
export function MigrationState({ state, isDry }: { state: State; isDry: boolean }) {
  const { i18n } = useLingui()
  const [color, icon] = STATES[state]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />} title={state}>
      {isDry && state === 'Migrated' ? (
        <Trans context="migration">Could be migrated</Trans>
      ) : (
        i18n._(MIGRATION_STATE_WORDS[state])
      )}
    </Badge>
  )
}

/** Severity of a result. */
export function ResultClass({ value }: { value: MigrationResultClass }) {
  const { i18n } = useLingui()
  const [color, icon] = CLASSES[value]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />} title={value}>
      {i18n._(RESULT_CLASS_WORDS[value])}
    </Badge>
  )
}
