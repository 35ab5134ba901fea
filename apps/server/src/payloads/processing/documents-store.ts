import type { PayloadMeta } from '@custodia/contract'
import { partyNumbers, payloadDocument, type SearchEntry, searchEntryOf } from '@custodia/domain'
import type { Tx } from '../../ports/database/lease.ts'
import { noteTexts } from '../word-store.ts'
import { insertSearchEntries } from './search-store.ts'
import type { Subject } from './subject-store.ts'

/** Writes the list documents and search entries of payloads from their metadata. */
export async function insertDocuments(
  tx: Tx,
  items: readonly { subject: Subject; metadata: PayloadMeta }[],
  now: number,
): Promise<void> {
  const found = items.map(({ subject, metadata }) => ({
    place: subject,
    metadata,
    entry: searchEntryOf(metadata),
  }))
  await tx.query(DOCUMENTS, [JSON.stringify(found.map(documentRow))], 'process_documents')
  const numbers = items.flatMap(numberRows)
  if (numbers.length > 0) await tx.query(NUMBERS, [JSON.stringify(numbers)], 'process_numbers')
  await insertSearchEntries(tx, found)
  await noteTexts(
    tx,
    items.map(({ subject }) => subject.payload_id),
    now,
  )
}

function documentRow({
  place,
  metadata,
  entry,
}: {
  place: Subject
  metadata: PayloadMeta
  entry: SearchEntry
}) {
  const document = payloadDocument(metadata)
  const { second_party_numbers, all_numbers } = partyNumbers(metadata)
  return {
    payload_id: place.payload_id,
    client_id: place.client_id,
    list_doc: JSON.stringify(document),
    thread_id: document.thread_id ?? null,
    second_party_numbers,
    all_numbers,
    search_text: entry.text,
  }
}

function numberRows({ subject, metadata }: { subject: Subject; metadata: PayloadMeta }) {
  const { all, second_party } = partyNumbers(metadata)
  const { client_id, service, payload_time, payload_id, type } = subject
  const second = new Set(second_party)
  const payload = { client_id, service, payload_time, payload_id, type }
  return [...new Set(all)].map((number) => ({ ...payload, number, is_second: second.has(number) }))
}

// json, not jsonb: it keeps the text unchanged, and no query reads inside.
const DOCUMENTS = `
  insert into payload_documents (payload_id, client_id, list_doc, thread_id, second_party_numbers, all_numbers, search_text)
  select payload_id, client_id, list_doc, thread_id, second_party_numbers, all_numbers, search_text
  from json_to_recordset($1::json) as x(
    payload_id bigint, client_id int, list_doc text, thread_id text, second_party_numbers text, all_numbers text, search_text text)
  on conflict (payload_id) do nothing`

// The current group: the payload may have been reassigned since it was read. The caller holds its lock.
const NUMBERS = `
  insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
  select x.client_id, hashtextextended(number, 0), x.service, x.payload_time, payload_id, p.group_id, x.type, is_second
  from json_to_recordset($1::json) as x(
    client_id int, number text, service smallint, payload_time bigint, payload_id bigint, type smallint, is_second boolean)
  join payloads p using (payload_id)
  on conflict do nothing`
