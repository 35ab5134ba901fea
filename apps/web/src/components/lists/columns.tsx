import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Mono, Moment, Plain } from '../cells.tsx'
import { csvTime, type CsvValue } from './csv.ts'
import type { ListColumn } from './list-definition.ts'

/** What a column has beside its value; `csv` only where the file has more, or nothing, in its place. */
type Look<Row> = Pick<ListColumn<Row>, 'width' | 'grow' | 'stacked' | 'isOptional' | 'csv' | 'align'>
type Text = string | null | undefined

/**
 * The kinds of columns of a list: each says its label and its value once, for the screen and for the CSV file. A cell of its own is
 * written only where something is really drawn.
 */
export const columnsOf = <Row,>() => ({
  /** A text that may be cut, whole in its tooltip. */
  text: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => Text,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <Plain value={value(row)} />,
    csv: [{ label, value }],
    ...look,
  }),

  /** What the row is called. */
  name: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => string,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    stacked: 'lead',
    Cell: ({ row }) => <strong title={value(row)}>{value(row)}</strong>,
    csv: [{ label, value }],
    ...look,
  }),

  /** A number, written as the reader's language does. */
  count: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => number | undefined,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    align: 'end',
    Cell: ({ row }) => <Count value={value(row)} />,
    csv: [{ label, value }],
    ...look,
  }),

  /** Epoch seconds, in the reader's zone on screen and in UTC in the file. */
  moment: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => number | null | undefined,
    { seconds = false, ...look }: Look<Row> & { seconds?: boolean },
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <Moment at={value(row)} seconds={seconds} />,
    csv: [{ label, unit: 'UTC', value: (row) => csvTime(value(row)) }],
    ...look,
  }),

  /** Short technical text in monospace. */
  mono: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => string,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <Mono value={value(row)} />,
    csv: [{ label, value }],
    ...look,
  }),

  /** A reference by its last characters, which tell them apart: those at the start are the time. */
  reference: (
    id: string,
    label: MessageDescriptor,
    value: (row: Row) => string,
    look: Look<Row>,
  ): ListColumn<Row> => ({
    id,
    label,
    Cell: ({ row }) => <Mono value={value(row)} show={`…${value(row).slice(-8)}`} />,
    csv: [{ label, value }],
    ...look,
  }),

  /** What is drawn in a way of its own. */
  drawn: (
    id: string,
    label: MessageDescriptor,
    Cell: (props: { row: Row }) => ReactNode,
    value: (row: Row) => CsvValue,
    look: Look<Row>,
  ): ListColumn<Row> => ({ id, label, Cell, csv: [{ label, value }], ...look }),
})

function Count({ value }: { value: number | undefined }) {
  const { i18n } = useLingui()
  return value === undefined ? null : i18n.number(value)
}
