import { cutWord, fold } from './fold.ts'
import { STOP_WORDS } from './stop-words.ts'

/** Counts up whenever the words that a text has become others: an index made by other rules is made anew. */
export const WORD_RULES = 2
/** Words of one text by which it is found. */
const WORDS = 2000
/** Digits from which on what stands together is a number, and of which there are too many for one; digits by which a longer one is found. */
const [NUMBER_LEAST, NUMBER_MOST, NUMBER_ENDING] = [7, 20, 9]

// Scripts that put no space between words.
const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`
const RUN = new RegExp(`[${SPACELESS}]+|[^${SPACELESS}]+`, 'gu')
const IS_SPACELESS = new RegExp(`^[${SPACELESS}]`, 'u')
/** A flag, an emoji without its tone, or letters and digits. */
export const PIECE =
  /\p{Regional_Indicator}{2}|(?!\p{Emoji_Modifier})\p{Extended_Pictographic}|[\p{L}\p{N}\p{M}]+/gu
export const NUMBER = /\d[\d\s()./-]*\d/g

/** One letter is no word. */
const isWord = (piece: string): boolean =>
  (piece.length > 1 || /\p{Extended_Pictographic}/u.test(piece)) && !STOP_WORDS.has(piece)

/** All that a text says, folded and in order: its words, emoji, and pairs of characters of scripts that have no spaces. */
export const piecesOf = (text: string): string[] =>
  (fold(text).match(PIECE) ?? []).flatMap((piece) =>
    (piece.match(RUN) ?? []).flatMap((run) => (isSpaceless(run) ? pairsOf(run) : [cutWord(run)])),
  )

export const isSpaceless = (text: string): boolean => IS_SPACELESS.test(text)

function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length < 2 ? characters : characters.slice(1).map((each, i) => `${characters[i]}${each}`)
}

/** What of these digits is looked for: a number that is long enough, by its ending; undefined for fewer. */
export function numberWord(digits: string): string | undefined {
  if (digits.length < NUMBER_LEAST || digits.length > NUMBER_MOST) return undefined
  return digits.slice(-NUMBER_ENDING)
}

/** The words by which these texts are found, each once: what `interpretWords` makes of a search asks for these. */
export function indexWords(texts: readonly string[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const piece of piecesOf(text)) if (isWord(piece)) words.add(piece)
    for (const [number] of fold(text).matchAll(NUMBER)) {
      const digits = number.replace(/\D/g, '')
      const ending = numberWord(digits)
      // By its ending alone: what somebody looks for may have another form of what stands before.
      if (ending !== undefined) words.add(ending)
    }
  }
  return [...words].slice(0, WORDS)
}

/** Whether a piece that was sought can be looked up: what is too short or too common stands in no index. */
export const isIndexed = isWord
