import { fold } from './fold.ts'
import type { SearchWords } from './search-words.ts'
import { isSpaceless, NUMBER, numberWord, PIECE, piecesOf } from './words.ts'

/** Part of a text, in UTF-16 units: from `start` up to `end`. */
export interface Mark {
  start: number
  end: number
}

/** Where a text has what was sought, in order and without overlaps. */
export function marksIn(text: string, { words, prefix, phrases }: SearchWords): Mark[] {
  const search = new Set([...words, ...phrases.flat()])
  const marks = [
    ...found(text, PIECE, (piece) =>
      piecesOf(piece).some((each) => !isSpaceless(each) && (search.has(each) || begins(each, prefix))),
    ),
    ...found(text, NUMBER, (number) => search.has(numberWord(fold(number).replace(/\D/g, '')) ?? '')),
    ...[...search].filter(isSpaceless).flatMap((pair) => placesOf(text, pair)),
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

function placesOf(text: string, pair: string): Mark[] {
  const marks: Mark[] = []
  for (let at = text.indexOf(pair); at >= 0; at = text.indexOf(pair, at + 1))
    marks.push({ start: at, end: at + pair.length })
  return marks
}
