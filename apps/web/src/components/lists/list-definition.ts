import type { CallOptions } from '@custodia/client'
import type { Page, Total } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import type { LinkProps } from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import type { CallName } from '../../api/call-keys.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { CsvValue } from './csv.ts'
import type { ListSearch } from './list-search.ts'

export type LinkTarget = Pick<LinkProps, 'to' | 'params' | 'search' | 'hash'>

export interface ListColumn<Row> {
  id: string
  label: MessageDescriptor
  /** Minimum width in pixels. */
  width: number
  /** Flex share of the remaining space; 0 keeps the width. */
  grow?: number
  align?: 'end'
  /** Renders for each visible row while scrolling: keep it light. */
  Cell: (props: { row: Row }) => ReactNode
  /** Position in stacked rows on narrow screens; absent: hidden there. */
  stacked?: 'lead' | 'end' | 'line'
  /** Hidden by default; the user can select it. */
  isOptional?: boolean
  /** Whether this row has a value; a column without values is hidden. Absent: always. */
  hasValue?: (row: Row) => boolean
  /** The time in this column; its header sorts the list. */
  time?: string
  /** Field by which its header sorts the list, with a minus where the first click sorts descending. */
  sort?: string
  /** Columns of the CSV file; empty when the column holds no data. */
  csv?: readonly CsvColumn<Row>[]
}

export interface CsvColumn<Row> {
  label: MessageDescriptor
  /** Unit after the label, the same in every language. */
  unit?: 'UTC' | 's'
  value: (row: Row) => CsvValue
}

export interface FilterOption {
  value: string
  label: string
  /** The specification's spelling, where the label is translated. */
  title?: string
  /** Distinguishes equal names. */
  detail?: string
}

/** Finds records by name while the user types. Addresses have their references. */
export interface Picker {
  useFound: (typed: string) => { options: readonly FilterOption[]; isPending: boolean }
  /** Name of a chosen record; its reference while unknown. */
  useName: (value: string) => string
}

/** A suggestion for a typed search. */
export interface ListSuggestion {
  key: string
  label: string
  /** Distinguishes equal names. */
  detail?: string
  icon: IconName
  /** Result of the choice: other filters, or a page. */
  leads: { change: ListSearch } | { target: LinkTarget }
}

/** A filter bound to query parameter `name` of the call. */
export type ListFilter<Name extends string = string> = {
  name: Name
  label: MessageDescriptor
  /** Required permission; absent: none. */
  action?: string
} & (
  | {
      kind: 'search'
      placeholder: MessageDescriptor
      /** Hint when the filter finds nothing. */
      hint?: MessageDescriptor
      useSuggestions?: (typed: string) => readonly ListSuggestion[]
    }
  | { kind: 'text'; placeholder?: MessageDescriptor }
  /** `isSingle`: a new choice replaces the first. `isRare`: among the secondary filters. */
  | {
      kind: 'choice'
      useOptions: (typed?: string) => readonly FilterOption[]
      isSingle?: true
      isRare?: true
    }
  /** `isFirst`: next to the search; other pickers are among the secondary filters. */
  | { kind: 'pick'; picker: Picker; isSingle?: true; isFirst?: true }
  | { kind: 'flag' }
)

export interface BuiltInView {
  name: string
  label: MessageDescriptor
  search: ListSearch
  /** Text for an empty result that is an answer, not a failed search. */
  empty?: EmptyWords
}

/** Text in place of rows. */
export interface EmptyWords {
  title: MessageDescriptor
  description: MessageDescriptor
}

/** Drawer of the list for creating and editing records; the address opens it. */
export interface ListRecords {
  /** `recordKey` of the row; absent: a new record. */
  Drawer: ComponentType<{ recordKey?: string; onClose: () => void }>
  create: { label: MessageDescriptor; action: string; icon?: IconName }
  /** Rows open another page than the drawer. */
  isOnlyCreated?: true
}

/** Definition of a list, created by `defineList`. `Query` is the API query without paging. */
export interface ListDefinition<Row, Query> {
  /** Storage key of the list's settings, and its query key. */
  name: string
  /** Storage key of columns and views, where several lists share them. */
  kind?: string
  /** The list call; its invalidation refetches the list. */
  call: CallName
  title: MessageDescriptor
  /** Named when access to the list is denied. */
  permission: string
  icon: IconName
  columns: readonly ListColumn<Row>[]
  filters: readonly ListFilter[]
  /** Times for filtering and sorting; the first is the default. Absent: no date filter. */
  dates?: readonly { value: string; label: MessageDescriptor }[]
  views?: readonly BuiltInView[]
  /** Words of a content search, which its saved views keep. */
  words?: string
  /** Keys of the loaded results that were processed since then, in epoch seconds. */
  keysSince?: (processed_from: number) => readonly string[]
  /** Cells have two lines; `stacked`: the title of a narrow row. */
  isTall?: true | 'stacked'
  /** 'No calls match' */
  noMatch: MessageDescriptor
  /** Text for a list without data and without filters: what will appear here and why. */
  empty: EmptyWords
  getKey: (row: Row) => string
  /** Parses an address; unknown parameters are dropped. */
  parse: (raw: object) => ListSearch
  /** @param now epoch milliseconds, for relative dates */
  getQuery: (search: ListSearch, now: number) => Query
  readPage: (query: Query, paging: Paging, options: CallOptions) => Promise<Page<Row>>
  readTotal: (query: Query, options: CallOptions) => Promise<Total>
  /** Rows of the CSV file, where it holds full records. Absent: the rows on screen. */
  queryOfFile?: (search: ListSearch, now: number) => Query
  address: (search: ListSearch) => LinkTarget
  /** Target of a row: a page, or this list with a drawer. Absent: Enter opens the preview. */
  detail?: (row: Row, search: ListSearch) => LinkTarget
  /** Whether the call supports oldest-first order. */
  hasOrder?: boolean
  /** Whether the call sorts by fields. */
  hasSort?: boolean
  rowTitle?: (row: Row, i18n: I18n) => string
  /** Plays the row's recording, in its preview or page. Absent: no playback. */
  hear?: (rowKey: string) => void
  /** Hook: whether the reader can play a row. Its button then plays it, instead of opening the preview. */
  useCanHear?: () => (row: Row) => boolean
  /** Single keys that act on rows: on the selected ones, or on the current one. `select`: those that were refused. */
  rowKeys?: Readonly<
    Record<string, (keys: readonly string[], select?: (refused: readonly string[]) => void) => void>
  >
  /** Further single keys of the list. */
  pageKeys?: Readonly<Record<string, () => void>>
  /** Absent: no preview. */
  Preview?: ComponentType<{ rowKey: string; row: Row | undefined; neighbours: Neighbours<Row> }>
  /** A click opens the row in the preview next to the list, where there is room; its link and Enter open its page. */
  isSideBySide?: true
  /** The open preview follows the cursor to another row. */
  onFollow?: (from: string, to: string) => void
  /** Tile of a row. Absent: table only. */
  Tile?: ComponentType<{ row: Row }>
  /** True where a failure, such as a refused search text, stands in place of the rows and raises no notice. */
  isFailureInPlace?: boolean
  /** True for static lists: no polling for new rows. */
  isUnchanged?: boolean
  /** Poll interval for new rows, in milliseconds; absent: the default. */
  newsEveryMs?: number
  /** Bulk actions, in addition to copy and export. */
  BulkActions?: ComponentType<BulkProps>
  /** Some bulk actions act on all rows that match the filters. `first`: the box of the header selects these. */
  actsOnMatching?: true | 'first'
  /** Columns of every CSV file, whatever is visible. */
  csvAlways?: readonly CsvColumn<Row>[]
  /** A record for audits: its CSV file has every column. */
  isCsvWhole?: boolean
  /** Called with the list's rows before a row is opened. */
  beforeOpen?: (shown: ShownRows) => void
  records?: ListRecords
  /** Content at the right of the title. */
  primaryAction?: ReactNode
}

export interface BulkProps {
  keys: readonly string[]
  /** The user selected all rows that match the filters. */
  matching: MatchingRows | undefined
  /** Clears the selection, but for rows that were refused. */
  onDone: (refused?: readonly string[]) => void
}

/** All rows that match the filters. */
export interface MatchingRows {
  /** API query of the list, with relative times as of now. */
  getQuery: () => object
  /** Words of a content search, in addition. */
  words?: string | undefined
  total: Total | undefined
}

/** Rows around the previewed one. */
export interface Neighbours<Row> {
  /** Keys of the rows that are likely to follow, the most likely first. */
  likely: readonly string[]
  /** Next row that meets the condition, and the number of rows before it that do not. */
  next: (meets: (row: Row) => boolean) => { key: string; passed: number } | undefined
  /** Moves cursor and preview to a row. */
  show: (key: string) => void
}

/** State of a list, for navigation from one of its rows. */
export interface ShownRows {
  /** Loaded rows in order. */
  keys: readonly string[]
  hasMore: boolean
  total: Total | undefined
  search: ListSearch
  /** Path and search for the way back. */
  listUrl: string
}

export interface Paging {
  limit: number
  last_key?: string | undefined
}
