import type { SearchEntry } from '@custodia/domain'
import type { Tx } from '../../ports/database/lease.ts'

/** A payload's place in lists, which each of its words and numbers repeats, with its group. */
export interface SearchPlace {
  client_id: number
  service: number
  payload_time: number
  payload_id: number
  type: number
}

/** Adds search entries for payloads. Two statements, for any number. */
export async function insertSearchEntries(
  tx: Tx,
  items: readonly { place: SearchPlace; entry: SearchEntry }[],
): Promise<void> {
  const words = items.flatMap(({ place, entry }) => {
    const { client_id, service, payload_time, payload_id, type } = place
    return entry.words.map((word) => ({ client_id, service, payload_time, payload_id, type, word }))
  })
  const numbers = items.flatMap(({ place: { client_id }, entry }) =>
    entry.numbers.map((number) => ({ client_id, ...number })),
  )
  if (numbers.length > 0) await tx.query(NUMBERS, [JSON.stringify(numbers)], 'search_numbers')
  if (words.length > 0) await tx.query(WORDS, [JSON.stringify(words)], 'search_words')
}

// In order, so that two transactions with the same entries cannot deadlock.
const NUMBERS = `
  insert into search_numbers (client_id, reversed, number_hash)
  select distinct client_id, reversed collate "C", hashtextextended(number, 0)
  from json_to_recordset($1::json) as x(client_id int, reversed text, number text) order by 1, 2, 3
  on conflict do nothing`

const WORDS = `
  with x as materialized (
    select * from json_to_recordset($1::json) as x(
      client_id int, word text, service smallint, payload_time bigint, payload_id bigint, type smallint)
  ), known as (
    insert into search_words (client_id, word) select distinct client_id, word collate "C" from x order by 1, 2
    on conflict do nothing
  )
  insert into payload_words (client_id, word_hash, service, payload_time, payload_id, group_id, type)
  select x.client_id, hashtextextended(word, 0), x.service, x.payload_time, payload_id, p.group_id, x.type
  from x join payloads p using (payload_id)
  on conflict do nothing`
