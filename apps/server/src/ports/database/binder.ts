/** Adds a value to a statement; returns its placeholder. */
export type Bind = (value: unknown, cast: string) => string

/** Collects the values of a statement behind the existing ones. */
export function binder(values: unknown[] = []): { bind: Bind; values: unknown[] } {
  return { values, bind: (value, cast) => `$${values.push(value)}::${cast}` }
}
