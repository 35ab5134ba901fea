import { type Locale, RETENTION_TEMPLATES } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Input } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { Line } from './draft.ts'

/** Days between deletion and destruction in templates: time to notice a mistake. */
const AFTERWARDS = 30

/** Fills the recordings' lines with a regulation's period, without saving. */
export function TemplateChoice({
  lines,
  onFill,
}: {
  lines: readonly Line[]
  onFill: (lines: Line[]) => void
}) {
  const { t, i18n } = useLingui()
  const [chosen, setChosen] = useState(0)
  const fill = () => {
    const template = RETENTION_TEMPLATES[chosen]
    if (!template) return
    onFill(
      lines.map((line) =>
        line.payload_type !== undefined && template.payload_types.includes(line.payload_type)
          ? {
              ...line,
              delete_days: Math.max(
                template.days,
                typeof line.minimum_days === 'number' ? line.minimum_days : 0,
              ),
              destroy_days: AFTERWARDS,
              retention_timestamp: 'payload_time',
            }
          : line,
      ),
    )
  }
  return (
    <Group align="flex-end" gap="xs">
      <Input.Wrapper
        label={t`Start with a legal period`}
        description={t`Ask your lawyers which rules apply`}
        id="retention-template"
      >
        <Input
          component="select"
          id="retention-template"
          pointer
          rightSection={<Icon name="chevron-down" size={14} />}
          rightSectionPointerEvents="none"
          value={chosen}
          onChange={({ currentTarget: { value } }) => setChosen(Number(value))}
        >
          {RETENTION_TEMPLATES.map(({ rule, words }, i) => (
            <option key={`${rule} ${words['en-GB']}`} value={i}>
              {`${rule}: ${words[i18n.locale as Locale]}`}
            </option>
          ))}
        </Input>
      </Input.Wrapper>
      <Button variant="default" onClick={fill}>
        <Trans>Fill in</Trans>
      </Button>
    </Group>
  )
}
