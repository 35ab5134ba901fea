import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { authorName } from '../../ui/visible.ts'
import { BreakableText, FaintText, Mono, Moment, PlainText } from '../cells.tsx'
import { GroupName } from '../names.tsx'
import { SpecWord, type Words } from '../words/spec-word.tsx'
import { csvTime, type CsvValue } from './csv.ts'
import type { ListColumn } from './list-definition.ts'

/** Options of a column; `csv` only where the file differs from the screen. */
type ColumnOptions<Row> = Pick<
  ListColumn<Row>,
  'width' | 'grow' | 'stacked' | 'isOptional' | 'csv' | 'align' | 'hasValue' | 'time' | 'sort'
>

/** Fields of a row that hold such a value. */
type FieldOf<Row, Value> = {
  [Field in keyof Row]-?: Row[Field] extends Value ? Field : never
}[keyof Row] &
  string

/** Builds a column of a field, or of another value under an id of its own. */
interface ColumnKind<Row, Value, Options extends readonly unknown[]> {
  (field: FieldOf<Row, Value>, label: MessageDescriptor, ...options: Options): ListColumn<Row>
  (id: string, label: MessageDescriptor, value: (row: Row) => Value, ...options: Options): ListColumn<Row>
}

const valueOf = <Row, Value>(id: string, value: unknown): ((row: Row) => Value) =>
  typeof value === 'function' ? (value as (row: Row) => Value) : (row) => row[id as keyof Row] as Value

/** Makes the builder of a kind of column from how it draws a value and writes it into the file. */
const columnKind =
  <Row,>() =>
  <Value, More = unknown, Options extends readonly unknown[] = [options: ColumnOptions<Row> & More]>(
    draw: (value: Value, more: More) => ReactNode,
    usual: Partial<ColumnOptions<Row>> = {},
    inFile: (value: Value) => CsvValue = (value) => value as CsvValue,
    unit?: 'UTC',
  ): ColumnKind<Row, Value, Options> =>
  (id: string, label: MessageDescriptor, ...[first, second]: readonly unknown[]): ListColumn<Row> => {
    const value = valueOf<Row, Value>(id, first)
    const options = ((typeof first === 'function' ? second : first) ?? {}) as ColumnOptions<Row> & More
    return {
      id,
      label,
      Cell: ({ row }) => draw(value(row), options),
      csv: [{ label, value: (row) => inFile(value(row)), ...(unit && { unit }) }],
      // The placeholder counts as a value.
      hasValue: (row) => 'none' in options || isPresent(value(row)),
      ...usual,
      ...options,
    }
  }

const wordColumn =
  <Row,>() =>
  <Value extends string>(
    id: string,
    label: MessageDescriptor,
    words: Words<Value>,
    value: (row: Row) => Value,
    options: ColumnOptions<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <SpecWord value={value(row)} words={words} />,
    csv: [{ label, value }],
    ...options,
  })

/** Options of a time: its usual width is that of a date with a time. */
type MomentOptions<Row> = [
  options?: Partial<ColumnOptions<Row>> & { seconds?: boolean; none?: MessageDescriptor },
]

/** Column builders: each has label and value once, for the screen and the CSV file. Custom cells are for special drawing only. */
export function getColumns<Row>() {
  const kind = columnKind<Row>()
  return {
    /** A text that may be truncated, with the full text in its tooltip. */
    text: kind<string | null | undefined>((value) => <PlainText value={value} />),

    group: kind<string | null | undefined>((value) => <GroupName group={value} />),

    /** Title of the row. */
    name: kind<string>(
      (value) => (
        <strong title={value}>
          <BreakableText value={value} />
        </strong>
      ),
      { stacked: 'lead' },
    ),

    /** Several texts, or a placeholder. */
    texts: kind<readonly string[], { none: MessageDescriptor }>(
      (values, { none }) =>
        values.length === 0 ? <FaintText word={none} /> : <PlainText value={values.join(', ')} />,
      {},
      (values) => values.join('; '),
    ),

    /** A number in the locale's format. */
    count: kind<number | undefined>((value) => <Count value={value} />, { align: 'end' }),

    /** Epoch seconds; the viewer's zone on screen, UTC in the file; `none` is the placeholder. */
    moment: kind<
      number | null | undefined,
      { seconds?: boolean; none?: MessageDescriptor },
      MomentOptions<Row>
    >(
      (at, { seconds, none }) =>
        none && (at === null || at === undefined) ? (
          <FaintText word={none} />
        ) : (
          <Moment at={at} seconds={seconds === true} />
        ),
      // Of the widest date.
      { width: 158 },
      csvTime,
      'UTC',
    ),

    /** A word for true; empty for false. */
    mark: kind<boolean, { word: MessageDescriptor; icon: IconName; color?: string }>(
      (is, { word, icon, color }) =>
        is ? (
          <Badge color={color} leftSection={<Icon name={icon} size={12} />}>
            <Word word={word} />
          </Badge>
        ) : null,
    ),

    /** Short technical text in monospace. */
    mono: kind<string>((value) => <Mono value={value} />),

    /** Last characters of a reference: the first ones encode the time and are often equal. */
    reference: kind<string>((value) => <Mono value={value} show={`…${value.slice(-8)}`} />),

    /** A value of the specification: translated on screen, as specified in the file. */
    word: wordColumn<Row>(),

    /** A column with a custom cell. */
    drawn: ((
      id: string,
      label: MessageDescriptor,
      Cell: Cell<Row>,
      first: unknown,
      second?: ColumnOptions<Row>,
    ) => ({
      id,
      label,
      Cell,
      csv: [{ label, value: valueOf<Row, CsvValue>(id, first) }],
      ...(second ?? (first as ColumnOptions<Row>)),
    })) as DrawnKind<Row>,
  }
}

type Cell<Row> = (props: { row: Row }) => ReactNode
interface DrawnKind<Row> {
  (
    field: FieldOf<Row, CsvValue>,
    label: MessageDescriptor,
    Cell: Cell<Row>,
    options: ColumnOptions<Row>,
  ): ListColumn<Row>
  (
    id: string,
    label: MessageDescriptor,
    Cell: Cell<Row>,
    value: (row: Row) => CsvValue,
    options: ColumnOptions<Row>,
  ): ListColumn<Row>
}

const isPresent = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0)

function Count({ value }: { value: number | undefined }) {
  const { i18n } = useLingui()
  return value === undefined ? null : i18n.number(value)
}

const Word = ({ word }: { word: MessageDescriptor }) => useLingui()._(word)

interface SavedRow {
  updated_at: number | null
  updated_by: string | null
  updated_by_name?: string | undefined
}

/** Time and author of the last save; empty for system records. */
export function savedColumns<Row extends SavedRow>(): ListColumn<Row>[] {
  const column = getColumns<Row>()
  return [
    column.moment('updated_at', msg`Updated`, (row) => row.updated_at, { isOptional: true }),
    column.text('updated_by', msg`Updated by`, (row) => authorName(row, 'updated_by'), {
      width: 130,
      grow: 1,
      isOptional: true,
    }),
  ]
}
