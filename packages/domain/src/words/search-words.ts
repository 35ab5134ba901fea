import { isIndexed, isSpaceless, numberWord, piecesOf } from './words.ts'

/** Words that one search may ask for, and letters from which on the beginning of one may be asked for. */
export const [MOST_WORDS, PREFIX_LETTERS] = [8, 3]

/** What a search for words means. */
export interface SearchWords {
  /** All of them, each as `indexWords` has it. */
  words: readonly string[]
  /** The beginning of a further one. */
  prefix: string | undefined
  /** Pieces that must stand beside each other, in this order: an index knows them as words only. */
  phrases: readonly (readonly string[])[]
}

/** Why a search means nothing: a fault of the contract. */
export type SearchFault = 'words_missing' | 'words_many' | 'prefix_short' | 'prefix_several'

/**
 * What was typed: words that a text must all have, in quotes those that stand beside each other, and one beginning with `*` behind it.
 * Digits beside each other are one number, however it is grouped.
 */
export function interpretWords(typed: string): SearchWords | { fault: SearchFault } {
  const words = new Set<string>()
  const quoted = new Set<string>()
  const phrases: string[][] = []
  const prefixes: string[] = []
  for (const { text, isQuoted } of partsOf(typed)) {
    const pieces = piecesOf(text)
    const number = isQuoted ? undefined : numberIn(text)
    if (number !== undefined) words.add(number)
    else if (!isQuoted && /\p{L}\p{M}*\*$|\p{N}\*$/u.test(text)) {
      prefixes.push(pieces.pop() ?? '')
      for (const piece of pieces.filter(isIndexed)) words.add(piece)
    } else {
      const isPhrase = pieces.length > 1 && (isQuoted || pieces.some(isSpaceless))
      if (isPhrase) phrases.push(pieces)
      for (const piece of pieces.filter(isIndexed)) (isPhrase ? quoted : words).add(piece)
    }
  }
  const [prefix] = prefixes
  if (prefixes.length > 1) return { fault: 'prefix_several' }
  if (prefix !== undefined && [...prefix].length < PREFIX_LETTERS) return { fault: 'prefix_short' }
  if (words.size + prefixes.length > MOST_WORDS) return { fault: 'words_many' }
  // Of a phrase enough are looked up to find what may have it; the rest is compared.
  const all = [...new Set([...words, ...quoted])].slice(0, Math.max(words.size, MOST_WORDS - prefixes.length))
  if (all.length + prefixes.length === 0) return { fault: 'words_missing' }
  return { words: all, prefix, phrases }
}

interface Part {
  text: string
  isQuoted: boolean
}

const QUOTES = /[“”„«»]/g
const DIGITS = /^[+\d()./-]*\d[\d()./-]*$/

/** What stands in quotes, what stands between spaces, and digits together; a quote that is not closed reaches to the end. */
function partsOf(typed: string): Part[] {
  const parts: Part[] = []
  for (const [, quoted, open, plain] of typed
    .normalize('NFKC')
    .replace(QUOTES, '"')
    .matchAll(/"([^"]*)"|"([^"]*)$|([^\s"]+)/gu)) {
    const last = parts.at(-1)
    if (plain === undefined) parts.push({ text: quoted ?? open ?? '', isQuoted: true })
    else if (last && !last.isQuoted && DIGITS.test(plain) && DIGITS.test(last.text.replaceAll(' ', '')))
      last.text += ` ${plain}`
    else parts.push({ text: plain, isQuoted: false })
  }
  return parts
}

const numberIn = (text: string): string | undefined =>
  DIGITS.test(text.replaceAll(' ', '')) ? numberWord(text.replace(/\D/g, '')) : undefined

/** Whether a text has the phrases, wherever they stand in it. */
export function hasPhrases(texts: readonly string[], phrases: SearchWords['phrases']): boolean {
  const all = texts.map(piecesOf)
  return phrases.every((phrase) => all.some((pieces) => hasPhrase(pieces, phrase)))
}

const hasPhrase = (pieces: readonly string[], phrase: readonly string[]): boolean =>
  pieces.some((_, at) => phrase.every((piece, i) => pieces[at + i] === piece))
