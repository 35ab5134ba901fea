import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import classes from './migration-steps.module.css'

const STEPS = ['upload', 'check', 'import', 'accept'] as const
export type MigrationStep = (typeof STEPS)[number]

/** The steps of a migration. Steps before `at` are done. */
export function MigrationSteps({ at }: { at: MigrationStep }) {
  const { t } = useLingui()
  const labels: Readonly<Record<MigrationStep, string>> = {
    upload: t`Upload files`,
    check: t`Check in a dry run`,
    import: t({ context: 'step of a migration', message: 'Import' }),
    accept: t({ context: 'step of a migration', message: 'Accept' }),
  }
  const current = STEPS.indexOf(at)
  return (
    <ol className={classes.steps} data-not-printed>
      {STEPS.map((step, index) => (
        <li key={step} className={classes.step} {...(index === current && { 'aria-current': 'step' })}>
          <span className={classes.number} aria-hidden>
            {index < current ? <Icon name="check" size={14} /> : index + 1}
          </span>
          {labels[step]}
        </li>
      ))}
    </ol>
  )
}
