import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { viewerZone } from '../../ui/time-format.ts'
import { getTime, toDateText, toDayInput } from './date-range.ts'
import { DATE_PRESETS, dateWords } from './date-words.ts'
import { FilterCount, FilterPopover } from './filter-popover.tsx'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import classes from './list-view.module.css'

interface Range {
  from?: string | undefined
  to?: string | undefined
}
/** Typing replaces the history entry. */
const QUIETLY = { replace: true }
const getText = (value: ListSearch[string]) => (typeof value === 'string' ? value : undefined)

interface DateProps {
  dates: NonNullable<ListDefinition<never, never>['dates']>
  /** Whether the list can begin with the oldest. */
  hasOrder: boolean | undefined
  search: ListSearch
  change: ChangeSearch
}

/** Which time the range is about. */
const getField = ({ dates, search }: Pick<DateProps, 'dates' | 'search'>) =>
  dates.find(({ value }) => value === search.date_filter) ?? dates[0]

/** Date filter: which time, a preset (relative) or days and times in the viewer's zone, and the order. */
export function FilterDate(props: DateProps) {
  const { t, i18n } = useLingui()
  const { search } = props
  const field = getField(props)
  return (
    <FilterPopover
      icon="clock"
      button={
        <Text span inherit truncate>
          {field !== undefined && search.date_filter !== undefined && `${i18n._(field.label)}: `}
          {dateWords(search, i18n) ?? t`Any time`}
        </Text>
      }
      className={classes.time}
      rightSection={<FilterCount count={0} />}
      label={t`Time`}
      width={380}
    >
      {(close) => <DateRange {...props} onChosen={close} />}
    </FilterPopover>
  )
}

/** Which time, presets, both sides of the range, and the order. */
function DateRange({ dates, hasOrder, search, change, onChosen }: DateProps & { onChosen: () => void }) {
  const { t, i18n } = useLingui()
  const zone = viewerZone()
  const isPreset = ({ from, to }: Range) => search.from === from && search.to === to
  const choose = ({ from, to }: Range) => {
    change({ from, to })
    onChosen()
  }
  return (
    <Stack gap="sm">
      {dates.length > 1 && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t`Time range`}
          data={dates.map(({ value, label }) => ({ value, label: i18n._(label) }))}
          value={getField({ dates, search })?.value ?? ''}
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
            px={0}
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
        value={getText(search.from)}
        onChange={(from) => change({ from }, QUIETLY)}
      />
      <Side label={t`To`} edge="end" value={getText(search.to)} onChange={(to) => change({ to }, QUIETLY)} />
      {hasOrder && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t`Order`}
          data={[
            { value: 'newest', label: t`Newest first` },
            { value: 'oldest', label: t`Oldest first` },
          ]}
          value={search.order === 'oldest' ? 'oldest' : 'newest'}
          onChange={(order) => change({ order: order === 'oldest' ? order : undefined, sort: undefined })}
        />
      )}
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
  const [day, time] = [toDayInput(value, edge), getTime(value)]
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
