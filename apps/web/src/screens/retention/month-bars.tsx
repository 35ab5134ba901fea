/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import { useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import { type Act, ACT_WORDS, ACTS } from './preview-table.tsx'
import classes from './month-bars.module.css'

/** Bar per month and action; the table shows the same numbers. */
export function MonthBars({
  label,
  bars,
}: {
  label: string
  bars: readonly { name: string; counts: Record<Act, number> }[]
}) {
  const { i18n } = useLingui()
  const most = Math.max(1, ...bars.flatMap(({ counts }) => ACTS.map((act) => counts[act])))
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn with elements, no image element fits */}
      <div className={classes.bars} role="img" aria-label={label}>
        {bars.map(({ name, counts }) => (
          <div key={name} className={classes.month}>
            <div className={classes.pair}>
              {ACTS.map((act) => (
                <div
                  key={act}
                  className={classes.bar}
                  data-act={act}
                  title={`${name}: ${i18n._(ACT_WORDS[act])} ${i18n.number(counts[act])}`}
                  style={{ height: `${(100 * counts[act]) / most}%` }}
                />
              ))}
            </div>
            <span className={classes.name}>{name}</span>
          </div>
        ))}
      </div>
      <Group gap="md" mt={4} aria-hidden="true">
        {ACTS.map((act) => (
          <Group key={act} gap={6}>
            <span className={classes.swatch} data-act={act} />
            <Text size="xs" c="dimmed">
              {i18n._(ACT_WORDS[act])}
            </Text>
          </Group>
        ))}
      </Group>
    </div>
  )
}
