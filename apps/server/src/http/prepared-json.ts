import type { Page } from '@custodia/contract'

/**
 * An answer whose JSON text is ready, for lists where building objects only to print them costs more than the
 * query. `T` is the answer that the text stands for; tests parse and check it like any other.
 */
export class PreparedJson<T> {
  readonly text: string
  declare private readonly stands_for: T

  constructor(text: string) {
    this.text = text
  }
}

/** A page of a list from the texts of its rows. */
export const preparedPage = <Row>(rows: readonly string[], last_key?: string): PreparedJson<Page<Row>> =>
  new PreparedJson(
    `{"count":${rows.length},${last_key === undefined ? '' : `"last_key":"${last_key}",`}"data":[${rows.join(',')}]}`,
  )

const texts = new WeakMap<object, string>()

/** The text of a frequent, constant row, made once. */
export function lastingText(row: object): string {
  const known = texts.get(row)
  if (known !== undefined) return known
  const text = JSON.stringify(row)
  texts.set(row, text)
  return text
}
