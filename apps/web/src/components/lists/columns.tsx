import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Faint, Mono, Moment, Plain } from '../cells.tsx'
import { GroupName } from '../names.tsx'
import { SpecWord, type Words } from '../words/spec-word.tsx'
import { csvTime, type CsvValue } from './csv.ts'
import type { ListColumn } from './list-definition.ts'
import { msg } from '@lingui/core/macro'
import { authorName } from '../../ui/visible.ts'

/** Options of a column; `csv` only where the file differs from the screen. */
type Look<Row> = Pick<
  ListColumn<Row>,
  'width' | 'grow' | 'stacked' | 'isOptional' | 'csv' | 'align' | 'hasValue' | 'time' | 'sort'
>

/** Makes the builder of a kind of column from how it draws a value and writes it into the file. */
const columnKind =
  <Row,>() =>
  <Value, More = unknown>(
    draw: (value: Value, more: More) => ReactNode,
    usual: Pick<ListColumn<Row>, 'stacked' | 'align'> = {},
    inFile: (value: Value) => CsvValue = (value) => value as CsvValue,
    unit?: 'UTC',
  ) =>
  (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => Value,
    look: Look<Row> & More,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => draw(value(row), look),
    csv: [{ label, value: (row) => inFile(value(row)), ...(unit && { unit }) }],
    // The placeholder counts as a value.
    hasValue: (row) => 'none' in look || isSaid(value(row)),
    ...usual,
    ...look,
  })

const wordColumn =
  <Row,>() =>
  <Value extends string>(
    id: string,
    label: MessageDescriptor,
    words: Words<Value>,
    value: (row: Row) => Value,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <SpecWord value={value(row)} words={words} />,
    csv: [{ label, value }],
    ...look,
  })

/** Column builders: each has label and value once, for the screen and the CSV file. Custom cells are for special drawing only. */
export function columnsOf<Row>() {
  const kind = columnKind<Row>()
  return {
    /** A text that may be truncated, with the full text in its tooltip. */
    text: kind<string | null | undefined>((value) => <Plain value={value} />),

    group: kind<string | null | undefined>((value) => <GroupName group={value} />),

    /** Title of the row. */
    name: kind<string>((value) => <strong title={value}>{value}</strong>, { stacked: 'lead' }),

    /** Several texts, or a placeholder. */
    texts: kind<readonly string[], { none: MessageDescriptor }>(
      (values, { none }) =>
        values.length === 0 ? <Faint word={none} /> : <Plain value={values.join(', ')} />,
      {},
      (values) => values.join('; '),
    ),

    /** A number in the locale's format. */
    count: kind<number | undefined>((value) => <Count value={value} />, { align: 'end' }),

    /** Epoch seconds; the viewer's zone on screen, UTC in the file; `none` is the placeholder. */
    moment: kind<number | null | undefined, { seconds?: boolean; none?: MessageDescriptor }>(
      (at, { seconds, none }) =>
        none && (at === null || at === undefined) ? (
          <Faint word={none} />
        ) : (
          <Moment at={at} seconds={seconds === true} />
        ),
      {},
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
    drawn: (
      id: string,
      label: MessageDescriptor,
      Cell: (props: { row: Row }) => ReactNode,
      value: (row: Row) => CsvValue,
      look: Look<Row>,
    ): ListColumn<Row> => ({ id, label, Cell, csv: [{ label, value }], ...look }),
  }
}

const isSaid = (value: unknown): boolean =>
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

interface Saved {
  updated_at: number | null
  updated_by: string | null
  updated_by_name?: string | undefined
}

/** Time and author of the last save; empty for system records. */
export function savedColumns<Row extends Saved>(): ListColumn<Row>[] {
  const column = columnsOf<Row>()
  return [
    column.moment('updated_at', msg`Updated`, (row) => row.updated_at, { width: 156, isOptional: true }),
    column.text('updated_by', msg`Updated by`, (row) => authorName(row, 'updated_by'), {
      width: 130,
      grow: 1,
      isOptional: true,
    }),
  ]
}
