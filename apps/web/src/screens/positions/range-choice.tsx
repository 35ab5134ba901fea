import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Group, NativeSelect, TextInput } from '@mantine/core'
import { toDayInput } from '../../components/lists/date-range.ts'
import { DATE_PRESETS } from '../../components/lists/date-words.ts'

const PRESETS = [{ from: '-24h', to: undefined, word: msg`24 hours` }, ...DATE_PRESETS] as const
const OWN = 'own'

/** Date range: a named one, or two days. */
export function RangeChoice({
  from,
  to,
  onChange,
}: {
  from: string | undefined
  to: string | undefined
  onChange: (range: { from: string | undefined; to: string | undefined }) => void
}) {
  const { t, i18n } = useLingui()
  const shown = PRESETS.findIndex((each) => each.from === from && each.to === to)
  const day = (side: 'from' | 'to') => ({
    type: 'date' as const,
    value: toDayInput(side === 'from' ? from : (to ?? 'today'), side === 'from' ? 'start' : 'end'),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      if (value !== '') onChange({ from, to, [side]: value })
    },
  })
  return (
    <Group gap="sm" align="end">
      <NativeSelect
        label={t`Time`}
        value={shown === -1 ? OWN : String(shown)}
        onChange={({ currentTarget: { value } }) => {
          const preset = PRESETS[Number(value)]
          onChange(
            preset
              ? { from: preset.from, to: preset.to }
              : { from: toDayInput(from), to: toDayInput(to ?? 'today', 'end') },
          )
        }}
        data={[
          ...PRESETS.map(({ word }, i) => ({ value: String(i), label: i18n._(word) })),
          { value: OWN, label: t`Daily change` },
        ]}
      />
      {shown === -1 && (
        <>
          <TextInput label={t`From`} {...day('from')} />
          <TextInput label={t`To`} {...day('to')} />
        </>
      )}
    </Group>
  )
}
