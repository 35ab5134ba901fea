import type { Bind } from './binder.ts'

/** A page of a list by reference, or in another order. */
export interface SortedPage {
  /** A key of the list's sort expressions; with a minus before it: descending. Absent: by reference. */
  sort?: string | undefined
  /** Sort value and reference of the last row before the page; undefined: the first page. */
  from: readonly [value: string | number, reference: string] | undefined
  limit: number
}

/**
 * SQL of a page by reference, or in the order of an expression; rows with equal values are in the order of their
 * reference.
 * @param sorts text expressions by key; `number`: an expression of a bigint
 * @param bind adds the parameters of the page after those of the conditions
 * @returns `value`: expression of the sort value; `page`: end of the statement, after its conditions; `order`: the same
 *   order by its column `sort_value`
 */
export function sortedSql(
  sorts: Readonly<Record<string, string | { number: string }>>,
  reference: string,
  { sort, from, limit }: SortedPage,
  bind: Bind,
): { value: string; order: string; page: string } {
  // The limits are part of the text: PostgreSQL plans a prepared statement anew unless it knows how few the rows are.
  if (sort === undefined)
    return {
      value: reference,
      page: `and ${reference} > ${bind(from?.[1] ?? '', 'text')} order by ${reference} limit ${Number(limit)}`,
      order: reference,
    }
  const isDescending = sort.startsWith('-')
  const by = sorts[isDescending ? sort.slice(1) : sort]
  const [value, cast] = typeof by === 'object' ? [by.number, 'bigint'] : [by, 'text']
  if (value === undefined) throw new RangeError(`no sort ${sort}`)
  const direction = isDescending ? 'desc' : 'asc'
  const orderBy = (first: string) => `${first} ${direction}, ${reference} ${direction}`
  // Without a cursor no condition: an index in this order then yields the page alone.
  const beyond = isDescending ? '<' : '>'
  const start = from && bind(from[0], cast)
  // The first condition repeats a part of the second, which an index of another table cannot use.
  const after =
    from &&
    `and ${value} ${beyond}= ${start} and (${value}, ${reference}) ${beyond} (${start}, ${bind(from[1], 'text')})`
  return {
    value,
    order: orderBy('sort_value'),
    page: `${after ?? ''} order by ${orderBy(value)} limit ${Number(limit)}`,
  }
}

/** SQL: a text without regard to case and accents. */
export const byWords = (text: string): string => `(sort_text(${text}) collate "C")`

/** SQL: whether a column of texts by `byWords` starts with a text. */
export const startsWith = (column: string, start: string): string =>
  `(${column} >= sort_text(${start}) and ${column} < sort_text(${start}) || chr(1114111))`
