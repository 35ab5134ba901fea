/** Stands for comments where months are those of a service. */
export const COMMENTS = 0

/** One of the things that a text must have: any of these words. */
export interface WordTerm {
  words: readonly string[]
  /** Where it is the beginning of words, of which the vocabulary knows as many. */
  is_prefix: boolean
}

/** Words that payloads must have, as their tokens stand in the index. */
export interface ListWords {
  /** Months of which there are words, the oldest first. */
  periods: readonly number[]
  /** All of them. */
  terms: readonly WordTerm[]
  /** Of a term in a month: as many for each month. */
  tokensOf(term: WordTerm, service: number, period: number): readonly string[]
}
