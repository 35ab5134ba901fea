import type { Page, Total } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import type { LinkProps } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import type { CallName } from '../../api/call-keys.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { CsvValue } from './csv.ts'
import type { ListSearch } from './list-search.ts'

/** A place in the portal that a link or a navigation leads to. */
export type LinkTarget = Pick<LinkProps, 'to' | 'params' | 'search'>

/** A column of a list. */
export interface ListColumn<Row> {
  id: string
  label: MessageDescriptor
  /** Pixels below which it does not shrink. */
  width: number
  /** Share of the space that is left over; 0 keeps the width. */
  grow?: number
  align?: 'end'
  /** Drawn for each row on screen while scrolling: keep it light. */
  Cell: (props: { row: Row }) => ReactNode
  /** Where it stands when rows are stacked on narrow screens; absent: not shown there. */
  stacked?: 'lead' | 'end' | 'line'
  /** Absent at first; the column chooser brings it. */
  isOptional?: boolean
  /** Whether there is something of this row in it: a column without anything is not shown by itself. Absent: there always is. */
  hasValue?: (row: Row) => boolean
  /** The one of the list's times that stands in it: its name sorts the list. */
  time?: string
  /** Columns of the CSV file; none when the column holds no data. */
  csv?: readonly CsvColumn<Row>[]
}

export interface CsvColumn<Row> {
  label: MessageDescriptor
  /** Stands behind the label; the same in every language. */
  unit?: 'UTC' | 's'
  value: (row: Row) => CsvValue
}

export interface FilterOption {
  value: string
  label: string
  /** The specification's spelling, where the label is a word of the reader's language. */
  title?: string
}

/** Something that a search being typed may mean. */
export interface ListSuggestion {
  key: string
  label: string
  /** What tells it from others of the same name. */
  detail?: string
  icon: IconName
  /** Where choosing it leads: to other filters of the list, or to a page. */
  leads: { change: ListSearch } | { target: LinkTarget }
}

/** A filter, bound to the search parameter `name`: that of the call's query. */
export type ListFilter<Name extends string = string> = {
  name: Name
  label: MessageDescriptor
  /** The permission without which it is not offered; absent: none. */
  action?: string
} & (
  | {
      kind: 'search'
      placeholder: MessageDescriptor
      /** What else to try when it finds nothing. */
      hint?: MessageDescriptor
      /** What the text that is being typed may mean. */
      useSuggestions?: (typed: string) => readonly ListSuggestion[]
    }
  | { kind: 'text'; placeholder?: MessageDescriptor }
  /** `isSingle`: another choice takes the place of the first. */
  | { kind: 'choice'; useOptions: () => readonly FilterOption[]; isSingle?: true }
  | { kind: 'flag' }
)

/** A view that everybody has. */
export interface BuiltInView {
  name: string
  label: MessageDescriptor
  search: ListSearch
  /** What it means that there is nothing in it, where that is an answer and no failed search. */
  empty?: EmptyWords
}

/** What is said in place of rows. */
export interface EmptyWords {
  title: MessageDescriptor
  description: MessageDescriptor
}

/** Records that the list's page creates and edits in a drawer over it, which the address opens. */
export interface ListRecords {
  /** `recordKey` is the row's; absent: a new one. */
  Drawer: ComponentType<{ recordKey?: string; onClose: () => void }>
  create: { label: MessageDescriptor; action: string; icon?: IconName }
  /** Rows lead elsewhere than to the drawer. */
  isOnlyCreated?: true
}

/** All that tells one list from another; `defineList` makes it. `Query` is what goes to the server, without paging. */
export interface ListDefinition<Row, Query> {
  /** Key of what the browser remembers for this list, and of its answers. */
  name: string
  /** Key of columns and views, where several lists share theirs. */
  kind?: string
  /** The call that lists: whatever makes its answers stale has the list read again. */
  call: CallName
  title: MessageDescriptor
  /** Named when the server refuses the list. */
  permission: string
  icon: IconName
  columns: readonly ListColumn<Row>[]
  filters: readonly ListFilter[]
  /** Times by which the list can be filtered and sorted; the first is the default. Absent: no filter by time. */
  dates?: readonly { value: string; label: MessageDescriptor }[]
  views?: readonly BuiltInView[]
  /** 'No calls match' */
  noMatch: MessageDescriptor
  /** The list without any filter has nothing: what will appear here and why. */
  empty: EmptyWords & { action?: ReactNode }
  keyOf: (row: Row) => string
  /** Reads an address: what the list does not know drops. */
  parse: (raw: object) => ListSearch
  /** @param now epoch milliseconds, for relative dates */
  queryOf: (search: ListSearch, now: number) => Query
  readPage: (query: Query, paging: Paging, signal: AbortSignal) => Promise<Page<Row>>
  readTotal: (query: Query, signal: AbortSignal) => Promise<Total>
  /** What the CSV file holds instead of the rows on screen: the record behind them. Absent: what is on screen. */
  queryOfFile?: (search: ListSearch, now: number) => Query
  /** This list with other search parameters. */
  address: (search: ListSearch) => LinkTarget
  /** Where a row leads: a page, or this list with a drawer open. Absent: Enter opens the preview. */
  detail?: (row: Row, search: ListSearch) => LinkTarget
  /** Whether the call lists the oldest first, too. */
  hasOrder?: boolean
  /** What a row is called, above its preview. */
  rowTitle?: (row: Row, i18n: I18n) => string
  /** Has the recording of a row played, in its preview or on its page. Absent: nothing can be heard here. */
  hear?: (rowKey: string) => void
  /** Absent: rows have no preview. */
  Preview?: ComponentType<{ rowKey: string; row: Row | undefined }>
  /** What a row looks like as a tile. Absent: the list is a table only. */
  Tile?: ComponentType<{ row: Row }>
  /** True where nothing comes by itself: the list is not looked at again for news. */
  isUnchanged?: boolean
  /** How often the list is looked at for news, in milliseconds; absent: the usual pace. */
  newsEveryMs?: number
  /** Whether a row that has just arrived counts as news; absent: every one does. */
  isNews?: (row: Row) => boolean
  /** What can be done with the selected rows, beside copying and exporting them. */
  BulkActions?: ComponentType<{ keys: readonly string[]; onDone: () => void }>
  /** Columns that every CSV file has, whatever is on screen. */
  csvAlways?: readonly CsvColumn<Row>[]
  /** A record for others to check: its CSV file has every column, whatever is on screen. */
  isCsvWhole?: boolean
  /** Hears what the list holds before one of its rows is opened. */
  beforeOpen?: (shown: ShownRows) => void
  records?: ListRecords
  /** What the list shows beside the title at the right. */
  primaryAction?: ReactNode
}

/** What a list holds, for whoever walks on from one of its rows. */
export interface ShownRows {
  /** Of the rows loaded, in their order. */
  keys: readonly string[]
  hasMore: boolean
  total: Total | undefined
  search: ListSearch
  /** Path and search of the list as the address bar shows them, for the way back. */
  listUrl: string
}

export interface Paging {
  limit: number
  last_key?: string | undefined
}
