/** A page of a list by reference, or in another order. */
export interface SortedPage {
  /** A key of the list's sort expressions; with a minus before it: descending. Absent: by reference. */
  sort?: string | undefined
  /** Sort value and reference of the last row before the page; undefined: the first page. */
  from: readonly [value: string, reference: string] | undefined
  limit: number
}

/**
 * SQL of a page by reference, or in the order of a text expression; rows with equal values are in the order of their
 * reference.
 * @param sorts text expressions by key
 * @param first number of the first of the parameters that `values` has
 * @returns `value`: expression of the sort value; `page`: end of the statement, after its conditions; `order`: of its
 *   rows; `name`: end of the statement's name
 */
export function sortedSql(
  sorts: Readonly<Record<string, string>>,
  reference: string,
  { sort, from, limit }: SortedPage,
  first: number,
): { value: string; page: string; order: string; values: (string | number | null)[]; name: string } {
  if (sort === undefined)
    return {
      value: reference,
      order: reference,
      page: `and ${reference} > $${first} order by ${reference} limit $${first + 1}`,
      values: [from?.[1] ?? '', limit],
      name: 'list',
    }
  const isDescending = sort.startsWith('-')
  const value = sorts[isDescending ? sort.slice(1) : sort]
  if (value === undefined) throw new RangeError(`no sort ${sort}`)
  const direction = isDescending ? 'desc' : 'asc'
  const order = `${value} ${direction}, ${reference} ${direction}`
  return {
    value,
    order,
    page: `and ($${first}::text is null or (${value}, ${reference}) ${isDescending ? '<' : '>'} ($${first}, $${first + 1}))
      order by ${order} limit $${first + 2}`,
    values: [from?.[0] ?? null, from?.[1] ?? null, limit],
    name: `by_${sort}`,
  }
}

/** SQL: a text without regard to case, in the order of dictionaries. */
export const byWords = (text: string): string => `(lower(coalesce(${text}, '')) collate "und-x-icu")`

/** SQL: a version, number by number: 4.9 before 4.12. */
export const byVersion = (version: string): string =>
  `(coalesce((select string_agg(lpad(m[1], 9, '0'), '.') from regexp_matches(${version}, '[0-9]+', 'g') m), '') collate "C")`

/** SQL: epoch seconds; none comes first. */
export const byTime = (time: string): string => `(lpad(coalesce(${time}, 0)::text, 12, '0') collate "C")`
