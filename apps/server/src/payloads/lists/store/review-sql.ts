import type { Bind } from '../../../ports/database/binder.ts'
import { lanesSql } from '../../lanes-sql.ts'
import type { ListFilter } from './filter.ts'

/** SQL: whether any person, or the given one, has marked or heard payload `p`. */
const has = (table: 'payload_marked' | 'payload_opened', person: string, more = '') =>
  `exists (select from ${table} r where r.client_id = p.client_id and r.payload_id = p.payload_id and r.person = ${person}${more})`
const ANY_PERSON = `''`

/** Conditions on marks and hearers of payload `p`, within the scopes where the reader may see them. */
export function reviewSql(filter: ListFilter, bind: Bind): string[] {
  const { mark, heard, marked_by, reader } = filter
  const conditions: string[] = []
  if (mark !== undefined) {
    const person = marked_by === '' ? ANY_PERSON : bind(marked_by, 'text')
    conditions.push(
      lanesSql(filter.marks_lanes, bind, 'p'),
      mark === 'none'
        ? `not ${has('payload_marked', person)}`
        : has('payload_marked', person, ` and r.mark = ${bind(mark, 'text')}`),
    )
  }
  if (heard !== undefined) {
    const byAny = has('payload_opened', ANY_PERSON)
    const byMe = () => has('payload_opened', bind(reader, 'text'))
    conditions.push(lanesSql(filter.heard_lanes, bind, 'p'))
    if (heard === 'me') conditions.push(byMe())
    else conditions.push(heard === 'none' ? `not ${byAny}` : `${byAny} and not ${byMe()}`)
  }
  return conditions
}

/** The last mark in the JSON text of a row, where the reader may see it. */
export const markExtra = (filter: ListFilter, bind: Bind) => ({
  table: `left join payload_marked mk on mk.client_id = p.client_id and mk.payload_id = p.payload_id and mk.person = ''
    and ${lanesSql(filter.marks_lanes, bind, 'p')}`,
  json: [`coalesce(',"mark":"' || mk.mark || '"', '')`],
})

/** Who has heard the payload, in the JSON text of a row, where the reader may see it. */
export const heardExtra = (filter: ListFilter, bind: Bind) => ({
  table: `left join payload_opened ha on ha.client_id = p.client_id and ha.payload_id = p.payload_id and ha.person = ''
    left join payload_opened hm on hm.client_id = p.client_id and hm.payload_id = p.payload_id and hm.person = ${bind(filter.reader, 'text')}`,
  json: [
    `case when ${lanesSql(filter.heard_lanes, bind, 'p')} then ',"heard":"' || case when hm.person is not null then 'me'
      when ha.person is not null then 'others' else 'none' end || '"' else '' end`,
  ],
})
