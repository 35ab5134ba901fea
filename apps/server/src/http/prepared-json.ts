/**
 * An answer whose JSON text is ready, for the few lists where building objects only to print them again would cost more
 * than the query. `T` is the answer that the text stands for; tests parse it and check it like any other.
 */
export class PreparedJson<T> {
  readonly text: string
  declare private readonly stands_for: T

  constructor(text: string) {
    this.text = text
  }
}
