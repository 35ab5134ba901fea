/** Adds a value to a statement; returns its placeholder. */
export type Bind = (value: unknown, cast: string) => string

/** Gathers the values of a statement while its text is written, behind those that are there. */
export function binder(values: unknown[] = []): { bind: Bind; values: unknown[] } {
  return { values, bind: (value, cast) => `$${values.push(value)}::${cast}` }
}
