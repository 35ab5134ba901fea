import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Group, Text, Title } from '@mantine/core'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { BarTable } from './bar-table.tsx'

interface Counted {
  label: string
  count: number
  color: string
  to?: LinkTarget | undefined
}

/** A total and its parts. */
export function CountCard({
  icon,
  title,
  counts,
}: {
  icon: IconName
  title: string
  counts: readonly Counted[]
}) {
  const { t, i18n } = useLingui()
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const shownTotal = i18n.number(total)
  return (
    <Card component="section" aria-label={title} padding="lg">
      <Group justify="space-between" align="flex-start" mb="md">
        <Group gap="xs">
          <Icon name={icon} />
          <Title order={2}>{title}</Title>
        </Group>
        <Text className="tabular" fz={28} fw={700} lh={1}>
          {shownTotal}{' '}
          <Text span size="sm" c="dimmed" fw={400}>
            <Trans>in total</Trans>
          </Text>
        </Text>
      </Group>
      <BarTable caption={title} heading={t`State`} total={total} rows={counts} />
    </Card>
  )
}
