import { endingPattern, type SearchTerm, wholePattern, wordPattern } from '@custodia/domain'
import type { Bind } from '../../../ports/database/binder.ts'
import { wordSpan } from './search.ts'

/** Whether a row has what is searched for: in the line of its payload, or in the name of its person. Needs the tables of `ROW_TABLES`. */
export function searchSql({ word, endings, wholes }: SearchTerm, client_id: number, bind: Bind): string {
  const patterns = [
    ...(word === undefined ? [] : [wordPattern(word)]),
    ...endings.map(endingPattern),
    ...wholes.map(wholePattern),
  ]
  const inLine = `o.search_text like any(${bind(patterns, 'text[]')})`
  if (word === undefined) return inLine
  const { low, high } = wordSpan(word)
  return `(${inLine} or p.device_user_id in (select s.device_user_id from device_user_words s
    where s.client_id = ${bind(client_id, 'int')} and s.word >= ${bind(low, 'text')} and s.word < ${bind(high, 'text')}))`
}
