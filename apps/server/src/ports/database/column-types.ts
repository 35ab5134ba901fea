import type { ColumnType } from 'kysely'

/**
 * A jsonb column: read as a value to be parsed by its noun, written as JSON text. The driver would turn an array
 * into a PostgreSQL array, so passing the value itself does not compile.
 */
export type Json = ColumnType<unknown, string, string>
export type JsonOrDefault = ColumnType<unknown, string | undefined, string>
export type JsonOrNull = ColumnType<unknown, string | null | undefined, string | null>
