import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Popover, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { viewerZone } from '../../ui/time-format.ts'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { timeOf, toDateText, toDayInput } from './date-range.ts'
import { DATE_PRESETS, dateWords } from './date-words.ts'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

interface Range {
  from?: string | undefined
  to?: string | undefined
}
/** Typing replaces the history entry. */
const QUIETLY = { replace: true }
const textOf = (value: ListSearch[string]) => (typeof value === 'string' ? value : undefined)

/** Date filter: which time, and a preset (relative) or days and times in the viewer's zone. */
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
  const { target, dropdown } = useDropdownFocus(isOpen)
  const field = dates.find(({ value }) => value === search.date_filter) ?? dates[0]
  const words = dateWords(search, i18n)
  const zone = viewerZone()
  const isPreset = ({ from, to }: Range) => search.from === from && search.to === to
  const choose = ({ from, to }: Range) => {
    change({ from, to })
    setOpen(false)
  }
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
          ref={target}
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
      <Popover.Dropdown ref={dropdown} aria-label={t`Time`}>
        <Stack gap="sm">
          {dates.length > 1 && (
            <SegmentedControl
              size="xs"
              fullWidth
              aria-label={t`Time range`}
              data={dates.map(({ value, label }) => ({ value, label: i18n._(label) }))}
              value={field?.value ?? ''}
              onChange={(value) => change({ date_filter: value === dates[0]?.value ? undefined : value })}
            />
          )}
          <SimpleGrid cols={3} spacing={6} verticalSpacing={6}>
            {DATE_PRESETS.map((preset) => (
              <Button
                key={preset.from}
                size="compact-sm"
                variant={isPreset(preset) ? 'light' : 'default'}
                fw={500}
                px={4}
                aria-pressed={isPreset(preset)}
                onClick={() => choose(preset)}
              >
                {i18n._(preset.word)}
              </Button>
            ))}
          </SimpleGrid>
          <Side
            label={t`From`}
            edge="start"
            value={textOf(search.from)}
            onChange={(from) => change({ from }, QUIETLY)}
          />
          <Side
            label={t`To`}
            edge="end"
            value={textOf(search.to)}
            onChange={(to) => change({ to }, QUIETLY)}
          />
          <Group justify="space-between" gap={8} wrap="nowrap">
            <Text size="xs" c="dimmed">
              <Trans>Your zone: {zone}</Trans>
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              fw={500}
              flex="none"
              aria-pressed={isPreset({})}
              onClick={() => choose({})}
            >
              {t`Any time`}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** One side of the range: a day and an optional time. */
function Side(props: {
  label: string
  edge: 'start' | 'end'
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const { t } = useLingui()
  const { label, edge, value, onChange } = props
  const [day, time] = [toDayInput(value, edge), timeOf(value)]
  return (
    <Group gap={8} wrap="nowrap" align="flex-end">
      <TextInput
        type="date"
        size="xs"
        flex={1}
        label={label}
        value={day}
        onChange={(event) => onChange(toDateText(event.currentTarget.value, time))}
      />
      <TextInput
        type="time"
        size="xs"
        w={104}
        aria-label={edge === 'start' ? t`From, time of day` : t`To, time of day`}
        disabled={day === ''}
        value={time}
        onChange={(event) => onChange(toDateText(day, event.currentTarget.value))}
      />
    </Group>
  )
}
