import { endingPattern, type SearchTerm, wholePattern, wordPattern } from '@custodia/domain'
import type { Bind } from '../../../ports/database/binder.ts'
import { type ListSearch, wordSpan } from './search.ts'

/**
 * Whether a row matches the search: in the line of its payload, or the name of its person. Needs the tables
 * of `ROW_TABLES`.
 */
export function searchSql(
  { word, endings, wholes }: SearchTerm,
  client_id: number,
  bind: Bind,
  asksPeople = true,
): string {
  const patterns = [
    ...(word === undefined ? [] : [wordPattern(word)]),
    ...endings.map(endingPattern),
    ...wholes.map(wholePattern),
  ]
  const inLine = `o.search_text like any(${bind(patterns, 'text[]')})`
  if (word === undefined || !asksPeople) return inLine
  const { low, high } = wordSpan(word)
  return `(${inLine} or p.device_user_id in (select w.device_user_id from device_user_words w
    where w.client_id = ${bind(client_id, 'int')} and w.word >= ${bind(low, 'text')} and w.word < ${bind(high, 'text')}))`
}

/** The same for a key `s.id`, before its row is read; undefined when the runs answer all of it. */
export function askedSql(
  search: ListSearch,
  isFromRuns: boolean,
  client_id: number,
  bind: Bind,
): string | undefined {
  const isAll = search.runs !== undefined && !isFromRuns
  const asked = isAll ? search.terms : search.asked
  const asks_people = isAll || search.asks_people
  if (asked.length === 0) return undefined
  const conditions = asked.map((term) => searchSql(term, client_id, bind, asks_people)).join(' and ')
  const tables = asks_people
    ? 'payloads p left join payload_documents o on o.payload_id = p.payload_id where p.payload_id = s.id'
    : 'payload_documents o where o.payload_id = s.id'
  // Not `exists`: that may become a join with all payloads.
  return `(select ${conditions} from ${tables})`
}
