import { RETENTION_BASES } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Button, Group, Input, NumberInput, SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { periodWords } from '../../components/words/period-words.ts'
import { getDays, PERIOD_UNITS, getPeriod, type PeriodUnit } from '../../components/words/period.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { readOnlyLook } from '../../ui/form/read-only.ts'
import { Icon } from '../../ui/icon.tsx'
import { type DaysText, isDeletable, type Line } from './draft.ts'
import { BASIS_WORDS, SINCE_WORDS, subjectWord } from './retention-words.ts'

/** A period as typed. */
interface EnteredPeriod {
  count: DaysText
  unit: PeriodUnit
}

/** Days of a period; what is no whole number stays as typed, and the form reports it. */
const daysIn = ({ count, unit }: EnteredPeriod): DaysText =>
  typeof count === 'number' && Number.isInteger(count) && count >= 0 ? getDays(count, unit) : count

const getEntered = (days: DaysText): EnteredPeriod =>
  typeof days === 'number' ? getPeriod(days) : { count: days, unit: 'days' }

const UNIT_WORDS: Readonly<Record<PeriodUnit, MessageDescriptor>> = {
  days: msg({ context: 'unit of a period', message: 'days' }),
  months: msg({ context: 'unit of a period', message: 'months' }),
  years: msg({ context: 'unit of a period', message: 'years' }),
}

/** A period in days, months or years; its value is in days. */
function PeriodInput(props: {
  label: string
  value: DaysText
  onChange: (days: DaysText) => void
  error: string | undefined
  isReadOnly: boolean
  placeholder?: string
}) {
  const { t, i18n } = useLingui()
  const { label, value, onChange, isReadOnly } = props
  const [typed, setTyped] = useState(() => getEntered(value))
  // Another policy was loaded: its days replace what was typed.
  const entered = daysIn(typed) === value ? typed : getEntered(value)
  const change = (changes: Partial<EnteredPeriod>) => {
    const next = { ...entered, ...changes }
    setTyped(next)
    onChange(daysIn(next))
  }
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {/* Mantine would silently change -1 to 0, 1.5 to 15, and values above the limit; the form reports a fault instead. */}
      <NumberInput
        aria-label={label}
        placeholder={props.placeholder}
        hideControls
        w={64}
        min={0}
        clampBehavior="none"
        allowedDecimalSeparators={[',', '.']}
        value={entered.count}
        onChange={(count) => change({ count })}
        error={props.error}
        {...readOnlyLook(isReadOnly)}
      />
      <Input
        component="select"
        aria-label={t`${label}, unit`}
        value={entered.unit}
        w={88}
        pointer
        rightSection={<Icon name="chevron-down" size={14} />}
        rightSectionPointerEvents="none"
        disabled={isReadOnly}
        onChange={({ currentTarget }) => change({ unit: currentTarget.value as PeriodUnit })}
      >
        {PERIOD_UNITS.map((unit) => (
          <option key={unit} value={unit}>
            {i18n._(UNIT_WORDS[unit])}
          </option>
        ))}
      </Input>
    </Group>
  )
}

interface NumberedLine {
  line: Line
  /** Index in the draft. */
  at: number
}

interface PolicyTableProps {
  caption: string
  lines: readonly NumberedLine[]
  set: (at: number, change: Partial<Line>) => void
  errorAt: (path: string) => string | undefined
  isReadOnly: boolean
}

/** Editable lines of a policy. */
export function PolicyTable(props: PolicyTableProps) {
  const { t, i18n } = useLingui()
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const { isReadOnly, set } = props
  const areRecordings = props.lines.some(({ line }) => line.payload_type !== undefined)
  const errorsWithin = (at: number) =>
    (['minimum_days', 'legal_basis', 'required_receipts', 'required_transfers'] as const).some(
      (name) => props.errorAt(`lines.${at}.${name}`) !== undefined,
    )
  const isOpen = (at: number) => open.has(at) || errorsWithin(at)
  return (
    <DataTable
      caption={props.caption}
      rows={props.lines}
      getKey={({ at }) => String(at)}
      columns={usePolicyColumns(props, areRecordings)}
      actions={
        areRecordings
          ? ({ line, at }) => (
              <Button
                size="compact-sm"
                variant="subtle"
                aria-expanded={isOpen(at)}
                aria-label={t`Conditions: ${subjectWord(i18n, line)}`}
                onClick={() =>
                  setOpen(new Set(open.has(at) ? [...open].filter((each) => each !== at) : [...open, at]))
                }
              >
                {t`Conditions`}
              </Button>
            )
          : undefined
      }
      details={({ line, at }) =>
        areRecordings && isOpen(at) ? (
          <Conditions
            line={line}
            set={(change) => set(at, change)}
            errorAt={(name) => props.errorAt(`lines.${at}.${name}`)}
            isReadOnly={isReadOnly}
          />
        ) : undefined
      }
    />
  )
}

function usePolicyColumns(
  { set, errorAt, isReadOnly }: PolicyTableProps,
  areRecordings: boolean,
): DataColumn<NumberedLine>[] {
  const { t, i18n } = useLingui()
  const days = ({ line, at }: NumberedLine, name: 'delete_days' | 'destroy_days', does: string) => (
    <PeriodInput
      label={`${subjectWord(i18n, line)}: ${does}`}
      value={line[name]}
      onChange={(value) => set(at, { [name]: value })}
      error={errorAt(`lines.${at}.${name}`)}
      isReadOnly={isReadOnly}
      placeholder={t`Never`}
    />
  )
  return [
    {
      label: areRecordings ? t`Recordings` : t`Records`,
      width: '34%',
      cell: ({ line }) => <Subject line={line} />,
    },
    {
      label: t`Delete after`,
      cell: (row) =>
        isDeletable(row.line) ? days(row, 'delete_days', t`Delete after`) : t`Destruction only`,
    },
    { label: t`Destroy after`, cell: (row) => days(row, 'destroy_days', t`Destroy after`) },
    ...(areRecordings
      ? [
          {
            label: t`Counted from`,
            cell: ({ line, at }: NumberedLine) => (
              <BasisSelect
                line={line}
                onChange={(change) => set(at, change)}
                error={errorAt(`lines.${at}.retention_timestamp`)}
                isReadOnly={isReadOnly}
              />
            ),
          },
        ]
      : []),
  ]
}

/** Recordings or records of a line, and what bounds its periods. */
function Subject({ line }: { line: Line }) {
  const { t, i18n } = useLingui()
  const word = SINCE_WORDS[line.entity_type]
  const since = word && i18n._(word)
  return (
    <>
      {subjectWord(i18n, line)}
      {since && (
        <Text size="xs" c="dimmed">
          {since}
        </Text>
      )}
      {line.minimum_days !== '' && (
        <Text size="xs" c="dimmed">
          {typeof line.minimum_days === 'number'
            ? t`At least ${periodWords(line.minimum_days)}: ${line.legal_basis}`
            : line.legal_basis}
        </Text>
      )}
    </>
  )
}

/** Time from which periods count. */
function BasisSelect(props: {
  line: Line
  onChange: (change: Partial<Line>) => void
  error: string | undefined
  isReadOnly: boolean
}) {
  const { t, i18n } = useLingui()
  const { line, onChange, isReadOnly } = props
  return (
    <Input
      component="select"
      aria-label={`${subjectWord(i18n, line)}: ${t`Counted from`}`}
      value={line.retention_timestamp}
      miw={120}
      pointer
      rightSection={<Icon name="chevron-down" size={14} />}
      rightSectionPointerEvents="none"
      disabled={isReadOnly}
      error={props.error}
      onChange={({ currentTarget: { value } }) =>
        onChange({ retention_timestamp: value as Line['retention_timestamp'] })
      }
    >
      {RETENTION_BASES.map((basis) => (
        <option key={basis} value={basis}>
          {i18n._(BASIS_WORDS[basis])}
        </option>
      ))}
    </Input>
  )
}

/** Conditions of a type before deletion, and legal minimum periods. */
function Conditions(props: {
  line: Line
  set: (change: Partial<Line>) => void
  errorAt: (name: keyof Line) => string | undefined
  isReadOnly: boolean
}) {
  const { line, set, errorAt, isReadOnly } = props
  const { t } = useLingui()
  const look = readOnlyLook(isReadOnly)
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" p="sm">
      <Input.Wrapper
        label={t`Legal minimum, from recording`}
        labelElement="div"
        description={t`Policies cannot go below it. It can be raised but never lowered`}
      >
        <PeriodInput
          label={t`Legal minimum, from recording`}
          value={line.minimum_days}
          onChange={(minimum_days) => set({ minimum_days })}
          error={errorAt('minimum_days')}
          isReadOnly={isReadOnly}
        />
      </Input.Wrapper>
      <TextInput
        label={t`Legal basis`}
        description={t`Legal basis of the rule`}
        value={line.legal_basis}
        onChange={({ currentTarget: { value } }) => set({ legal_basis: value })}
        maxLength={200}
        error={errorAt('legal_basis')}
        {...look}
      />
      <TagsInput
        label={t`Required receipts`}
        description={t`Client apps that must confirm it`}
        value={line.required_receipts}
        onChange={(required_receipts) => set({ required_receipts })}
        error={errorAt('required_receipts')}
        {...look}
      />
      <TagsInput
        label={t`Required transfers`}
        description={t`Transfers that must deliver it. It stays while none of this name exists`}
        value={line.required_transfers}
        onChange={(required_transfers) => set({ required_transfers })}
        error={errorAt('required_transfers')}
        {...look}
      />
    </SimpleGrid>
  )
}
