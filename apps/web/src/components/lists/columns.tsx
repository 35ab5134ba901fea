import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Faint, Mono, Moment, Plain } from '../cells.tsx'
import { GroupName } from '../group-name.tsx'
import { csvTime, type CsvValue } from './csv.ts'
import type { ListColumn } from './list-definition.ts'

/** What a column has beside its value; `csv` only where the file has more, or nothing, in its place. */
type Look<Row> = Pick<
  ListColumn<Row>,
  'width' | 'grow' | 'stacked' | 'isOptional' | 'csv' | 'align' | 'hasValue' | 'time'
>

/**
 * The kinds of columns of a list: each says its label and its value once, for the screen and for the CSV file. A cell of its own is
 * written only where something is really drawn.
 */
export function columnsOf<Row>() {
  type Column = ListColumn<Row>
  const kind =
    <Value, More = unknown>(
      draw: (value: Value, more: More) => ReactNode,
      usual: Pick<Column, 'stacked' | 'align'> = {},
      inFile: (value: Value) => CsvValue = (value) => value as CsvValue,
      unit?: 'UTC',
    ) =>
    (id: string, label: MessageDescriptor, value: (row: Row) => Value, look: Look<Row> & More): Column => ({
      id,
      label,
      Cell: ({ row }) => draw(value(row), look),
      csv: [{ label, value: (row) => inFile(value(row)), ...(unit && { unit }) }],
      // A word for having none says something, too.
      hasValue: (row) => 'none' in look || isSaid(value(row)),
      ...usual,
      ...look,
    })
  return {
    /** A text that may be cut, whole in its tooltip. */
    text: kind<string | null | undefined>((value) => <Plain value={value} />),

    /** A group by its name. */
    group: kind<string | null | undefined>((value) => <GroupName group={value} />),

    /** What the row is called. */
    name: kind<string>((value) => <strong title={value}>{value}</strong>, { stacked: 'lead' }),

    /** Several texts, or the word that says what it means to have none. */
    texts: kind<readonly string[], { none: MessageDescriptor }>(
      (values, { none }) =>
        values.length === 0 ? <Faint word={none} /> : <Plain value={values.join(', ')} />,
      {},
      (values) => values.join('; '),
    ),

    /** A number, written as the reader's language does. */
    count: kind<number | undefined>((value) => <Count value={value} />, { align: 'end' }),

    /** Epoch seconds, in the reader's zone on screen and in UTC in the file; `none` says what it means to have none. */
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

    /** A word where something is so, nothing where it is not. */
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

    /** A reference by its last characters, which tell them apart: those at the start are the time. */
    reference: kind<string>((value) => <Mono value={value} show={`…${value.slice(-8)}`} />),

    /** What is drawn in a way of its own. */
    drawn: (
      id: string,
      label: MessageDescriptor,
      Cell: (props: { row: Row }) => ReactNode,
      value: (row: Row) => CsvValue,
      look: Look<Row>,
    ): Column => ({ id, label, Cell, csv: [{ label, value }], ...look }),
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
