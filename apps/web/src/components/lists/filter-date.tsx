import { useLingui } from '@lingui/react/macro'
import { Button, Group, Popover, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { toDayInput } from './date-range.ts'
import { DATE_PRESETS, dateWords } from './date-words.ts'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

/** Which time counts, and from when to when: presets that stay relative in the address, or days. */
export function FilterDate({
  dates,
  search,
  change,
}: {
  dates: NonNullable<ListDefinition<never, never>['dates']>
  search: ListSearch
  change: ChangeSearch
}) {
  const { t, i18n } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const field = dates.find(({ value }) => value === search.date_filter) ?? dates[0]
  const words = dateWords(search, i18n)
  const day = (name: 'from' | 'to') => {
    const value = search[name]
    return toDayInput(typeof value === 'string' ? value : undefined)
  }
  const isPreset = (from: string | undefined) => search.from === from && search.to === undefined
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={330}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          size="xs"
          h={32}
          variant="default"
          fw={500}
          data-list-filter
          leftSection={<Icon name="clock" size={15} />}
          rightSection={<Icon name="chevron-down" size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          {field !== undefined && search.date_filter !== undefined && `${i18n._(field.label)}: `}
          {words ?? t`Any time`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t`Time`}>
        <Stack gap="sm">
          {dates.length > 1 && (
            <SegmentedControl
              size="xs"
              fullWidth
              aria-label={t`Which time`}
              data={dates.map(({ value, label }) => ({ value, label: i18n._(label) }))}
              value={field?.value ?? ''}
              onChange={(value) => change({ date_filter: value === dates[0]?.value ? undefined : value })}
            />
          )}
          <Group gap={6} grow preventGrowOverflow={false}>
            {[...DATE_PRESETS, undefined].map((preset) => (
              <Button
                key={preset?.from ?? 'any'}
                size="compact-sm"
                variant={isPreset(preset?.from) ? 'light' : 'default'}
                fw={500}
                px={4}
                aria-pressed={isPreset(preset?.from)}
                onClick={() => {
                  change({ from: preset?.from, to: undefined })
                  setOpen(false)
                }}
              >
                {preset === undefined ? t`Any time` : i18n._(preset.short)}
              </Button>
            ))}
          </Group>
          <Group gap={8} grow>
            <TextInput
              type="date"
              size="xs"
              label={t`First day`}
              value={day('from')}
              max={day('to') || undefined}
              onChange={(event) =>
                change({ from: event.currentTarget.value || undefined }, { replace: true })
              }
            />
            <TextInput
              type="date"
              size="xs"
              label={t`Last day`}
              value={day('to')}
              min={day('from') || undefined}
              onChange={(event) => change({ to: event.currentTarget.value || undefined }, { replace: true })}
            />
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
