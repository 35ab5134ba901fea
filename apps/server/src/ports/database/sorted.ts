/** A list in another order than by reference. */
export interface SortedPage {
  /** A key of the list's sort expressions; with a minus before it: descending. */
  sort: string
  /** Sort value and reference of the last row before the page; undefined: the first page. */
  from: readonly [value: string, reference: string] | undefined
}

/**
 * SQL of a page in the order of a text expression; rows with equal values are in the order of their reference.
 * @param sorts text expressions by key
 * @param first number of the parameter for the sort value; the next one is the reference
 */
export function sortedSql(
  sorts: Readonly<Record<string, string>>,
  reference: string,
  sort: string,
  first: number,
): { value: string; after: string; order: string } {
  const isDescending = sort.startsWith('-')
  const value = sorts[isDescending ? sort.slice(1) : sort]
  if (value === undefined) throw new RangeError(`no sort ${sort}`)
  const direction = isDescending ? 'desc' : 'asc'
  return {
    value,
    after: `($${first}::text is null or (${value}, ${reference}) ${isDescending ? '<' : '>'} ($${first}, $${first + 1}))`,
    order: `${value} ${direction}, ${reference} ${direction}`,
  }
}

/** SQL: a text without regard to case, in the order of dictionaries. */
export const byWords = (text: string): string => `(lower(coalesce(${text}, '')) collate "und-x-icu")`

/** SQL: a version, number by number: 4.9 before 4.12. */
export const byVersion = (version: string): string =>
  `(coalesce((select string_agg(lpad(m[1], 9, '0'), '.') from regexp_matches(${version}, '[0-9]+', 'g') m), '') collate "C")`

/** SQL: epoch seconds; none comes first. */
export const byTime = (time: string): string => `(lpad(coalesce(${time}, 0)::text, 12, '0') collate "C")`
