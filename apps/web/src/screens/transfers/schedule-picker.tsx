import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { readOnlyLook } from '../../ui/form/read-only.ts'

/** Common schedules, in UTC. */
const PRESETS = [
  { schedule: 'rate(1 hour)', word: msg`Every hour` },
  { schedule: 'cron(0 2 * * ? *)', word: msg`Every night` },
  { schedule: 'cron(0 2 ? * MON-FRI *)', word: msg`Weekdays` },
  { schedule: 'cron(0 2 ? * MON *)', word: msg`Every week` },
  { schedule: 'cron(0 2 1 * ? *)', word: msg`Every month` },
  { schedule: '', word: msg`On demand` },
] as const
const ON_DEMAND = 'on demand'
const EXPERT = 'expert'

/** Choice of a schedule; other expressions under "Expert". */
export function SchedulePicker(props: {
  label: string
  value: string
  onChange: (schedule: string) => void
  error: string | undefined
  isReadOnly: boolean
}) {
  const { t, i18n } = useLingui()
  const { label, value, onChange, error, isReadOnly } = props
  const isPreset = PRESETS.some(({ schedule }) => schedule === value)
  const [isExpert, setExpert] = useState(!isPreset)
  const isShown = isExpert || !isPreset
  return (
    <>
      <Select
        label={label}
        data={[
          ...PRESETS.map(({ schedule, word }) => ({ value: schedule || ON_DEMAND, label: i18n._(word) })),
          { value: EXPERT, label: t`Expert` },
        ]}
        allowDeselect={false}
        value={isShown ? EXPERT : value || ON_DEMAND}
        onChange={(next) => {
          setExpert(next === EXPERT)
          if (next !== null && next !== EXPERT) onChange(next === ON_DEMAND ? '' : next)
        }}
        error={isShown ? undefined : error}
        {...readOnlyLook(isReadOnly)}
      />
      {isShown && (
        <TextInput
          label={t`Expression`}
          description={t`rate(1 day) or cron(0 2 * * ? *): minute, hour, day, month, weekday, year, in UTC. Empty: on demand.`}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
          {...readOnlyLook(isReadOnly)}
        />
      )}
    </>
  )
}
