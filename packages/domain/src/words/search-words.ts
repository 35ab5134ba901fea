/** Such text has nothing to fold but its case, and a space between its words. */
const IS_ASCII = /^[\0-\x7f]*$/

/** Text as it is compared: without case, accents, width, marks of direction, and with the digits of other scripts as ours. */
export function fold(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}

/** Characters of one word; more are cut off. */
const WORD_LENGTH = 64
const cutWord = (word: string): string =>
  word.length <= WORD_LENGTH ? word : [...word].slice(0, WORD_LENGTH).join('')

/** The words of a text, folded. Marks and signs between letters separate. */
export const getWords = (text: string): string[] =>
  (fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(cutWord)

/**
 * Common words of English and Portuguese, folded. They are not indexed: they find nothing useful, and their frequency
 * would reveal language and length of a text. Part of what `WORD_RULES` counts.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `the and of to in is it you that he was for on are with as his they be at this have from or had by but not what all were we when your can
  said there an which she do how their if will me my so no yes ok just im dont its our them then than been has would us
  o os as um uma uns umas de do da dos das em no na nos nas ao aos pelo pela por para com sem que se e ou mas eu voce ele ela eles elas
  nao sim ja foi ser ter tem ta esta isso isto este esse essa meu minha seu sua me te lhe mais muito so ate como quando qual quem
  la aqui vou vai`.match(/\S+/g),
)

/** Counts up whenever the words of a text, their tokens or their places in the index change: the index is made anew. */
export const WORD_RULES = 3
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
export const getPieces = (text: string): string[] =>
  (fold(text).match(PIECE) ?? []).flatMap((piece) =>
    IS_ASCII.test(piece)
      ? cutWord(piece)
      : (piece.match(RUN) ?? []).flatMap((run) => (isSpaceless(run) ? getPairs(run) : [cutWord(run)])),
  )

export const isSpaceless = (text: string): boolean => IS_SPACELESS.test(text)

function getPairs(run: string): string[] {
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
    for (const piece of getPieces(text)) if (isWord(piece)) words.add(piece)
    for (const [number] of fold(text).matchAll(NUMBER)) {
      const digits = number.replace(/\D/g, '')
      const ending = numberWord(digits)
      // The ending alone, because a search may use another prefix of the number.
      if (ending !== undefined) words.add(ending)
    }
  }
  return [...words].slice(0, WORDS)
}

/** Whether a search word can be in the index: short and common words cannot. */
const isIndexed = isWord

/** Maximum words of one search, and minimum letters of a prefix. */
export const [MAX_WORDS, PREFIX_LETTERS] = [8, 3]

export interface SearchWords {
  /** All of them, each as `indexWords` has it. */
  words: readonly string[]
  /** The beginning of a further one. */
  prefix: string | undefined
  /** Words that must be adjacent, in this order; an index has single words only. */
  phrases: readonly (readonly string[])[]
}

/** Why a search means nothing: a fault of the contract. */
export type SearchFault = 'words_missing' | 'words_many' | 'prefix_short' | 'prefix_several'

/**
 * Interprets typed text: words that a text must all have, adjacent ones in quotes, prefixes with `*` at the end.
 * Adjacent digits are one number, however grouped.
 */
export function interpretWords(typed: string): SearchWords | { fault: SearchFault } {
  const words = new Set<string>()
  const quoted = new Set<string>()
  const phrases: string[][] = []
  const prefixes: string[] = []
  for (const { text, isQuoted } of getParts(typed)) {
    const pieces = getPieces(text)
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
  if (words.size + prefixes.length > MAX_WORDS) return { fault: 'words_many' }
  // Of a phrase enough are looked up to find what may have it; the rest is compared.
  const all = [...new Set([...words, ...quoted])].slice(0, Math.max(words.size, MAX_WORDS - prefixes.length))
  if (all.length + prefixes.length === 0) return { fault: 'words_missing' }
  return { words: all, prefix, phrases }
}

interface Part {
  text: string
  isQuoted: boolean
}

const QUOTES = /[“”„«»]/g
const DIGITS = /^[+\d()./-]*\d[\d()./-]*$/

/** Splits typed text into quoted parts, words and joined digits; an unclosed quote extends to the end. */
function getParts(typed: string): Part[] {
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
  const all = texts.map(getPieces)
  return phrases.every((phrase) => all.some((pieces) => hasPhrase(pieces, phrase)))
}

const hasPhrase = (pieces: readonly string[], phrase: readonly string[]): boolean =>
  pieces.some((_, at) => phrase.every((piece, i) => pieces[at + i] === piece))

/** Part of a text, in UTF-16 units: from `start` up to `end`. */
export interface Mark {
  start: number
  end: number
}

/** The places of search words in a text, in order and without overlaps. */
export function marksIn(text: string, { words, prefix, phrases }: SearchWords): Mark[] {
  const search = new Set([...words, ...phrases.flat()])
  const marks = [
    ...found(text, PIECE, (piece) =>
      getPieces(piece).some((each) => !isSpaceless(each) && (search.has(each) || begins(each, prefix))),
    ),
    ...found(text, NUMBER, (number) => search.has(numberWord(fold(number).replace(/\D/g, '')) ?? '')),
    ...[...search].filter(isSpaceless).flatMap((pair) => getPlaces(text, pair)),
  ].sort((a, b) => a.start - b.start)
  const merged: Mark[] = []
  for (const mark of marks) {
    const last = merged.at(-1)
    if (last && mark.start <= last.end) last.end = Math.max(last.end, mark.end)
    else merged.push(mark)
  }
  return merged
}

const begins = (word: string, prefix: string | undefined) => prefix !== undefined && word.startsWith(prefix)

const found = (text: string, pattern: RegExp, isSearched: (part: string) => boolean): Mark[] =>
  [...text.matchAll(pattern)].flatMap(({ 0: part, index }) =>
    isSearched(part) ? [{ start: index, end: index + part.length }] : [],
  )

function getPlaces(text: string, pair: string): Mark[] {
  const marks: Mark[] = []
  for (let at = text.indexOf(pair); at >= 0; at = text.indexOf(pair, at + 1))
    marks.push({ start: at, end: at + pair.length })
  return marks
}

/** Characters of a snippet, and of the text before its first mark: a narrow row still shows the mark. */
const [SNIPPET, BEFORE] = [160, 20]

/** The part of a text with the most search words, on one line; undefined when it has none. */
export function snippetIn(text: string, search: SearchWords): string | undefined {
  const marks = marksIn(text, search)
  let [best, most] = [marks[0], 0]
  for (const [i, mark] of marks.entries()) {
    let count = 0
    while ((marks[i + count]?.end ?? Number.POSITIVE_INFINITY) <= mark.start + SNIPPET - BEFORE) count++
    if (count > most) [best, most] = [mark, count]
  }
  if (best === undefined) return undefined
  const from = best.start <= BEFORE ? 0 : wordStart(text, best.start - BEFORE, best.start)
  const to = from + SNIPPET >= text.length ? text.length : Math.max(best.end, wordEnd(text, from + SNIPPET))
  const line = text.slice(from, to).replace(/\s+/g, ' ').trim()
  return `${from > 0 ? '… ' : ''}${line}${to < text.length ? ' …' : ''}`
}

/** Where a word begins, at or after `at`; `latest` where a script has no spaces. */
function wordStart(text: string, at: number, latest: number): number {
  const space = text.slice(at, latest).search(/\s/)
  return space < 0 ? wholeCharacter(text, at) : at + space + 1
}

/** Where a word ends, at or before `at`. */
function wordEnd(text: string, at: number): number {
  const space = text.slice(at - BEFORE, at).search(/\s\S*$/)
  return space < 0 ? wholeCharacter(text, at) : at - BEFORE + space
}

/** Never between the two halves of a character. */
const wholeCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at
