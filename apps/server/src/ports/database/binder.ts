/** Adds a value to a statement; returns its placeholder. */
export type Bind = (value: unknown, cast: string) => string

/**
 * SQL: whether a column has one of the values of an array. PostgreSQL hashes them once; `= any` of a prepared statement
 * compares them one by one. No index is used.
 */
export const isAmong = (column: string, array: string): string =>
  `(${column} in (select unnest(${array})) is true)`

/** Collects the values of a statement behind the existing ones. */
export function binder(values: unknown[] = []): { bind: Bind; values: unknown[] } {
  return { values, bind: (value, cast) => `$${values.push(value)}::${cast}` }
}
