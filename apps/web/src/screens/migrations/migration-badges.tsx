import type { MigrationResultClass, MigrationState as State } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MIGRATION_STATE_WORDS, RESULT_CLASS_WORDS } from './migration-words.ts'

const STATES: BadgeStyles<State> = {
  Pending: { color: 'blue', icon: 'clock' },
  Quarantined: { color: 'red', icon: 'shield-alert' },
  Migrated: { color: 'teal', icon: 'check' },
  PartialFail: { color: 'orange', icon: 'warning' },
  Failed: { color: 'red', icon: 'alert-circle' },
}

const CLASSES: BadgeStyles<MigrationResultClass> = {
  error: { color: 'red', icon: 'alert-circle' },
  warning: { color: 'orange', icon: 'warning' },
  success: { color: 'teal', icon: 'check' },
}

/** Outcome of a run. A dry run migrates nothing. */
export function MigrationState({ state, isDry }: { state: State; isDry: boolean }) {
  const { i18n } = useLingui()
  const { color, icon } = STATES[state]
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
  return <WordBadge value={value} words={RESULT_CLASS_WORDS} styles={CLASSES} />
}
