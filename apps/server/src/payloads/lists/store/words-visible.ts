import type { Queryable } from '../../../ports/database/lease.ts'
import type { Scope, ScopePart } from './scope.ts'
import { COMMENTS, type ListWords } from './list-words.ts'

/** Most words that one search looks up in groups. A reader of very many groups reads the index instead. */
const MOST_PROBES = 50_000
/** The same for a prefix, because the vocabulary of the groups has already excluded nearly all other words. */
const MOST_OF_BEGINNING = 5000

/**
 * The months in which every word has a payload or comment in the scope's groups. A word in other groups only
 * costs the same as a missing one: each word is looked up in each group of the reader.
 */
export async function visiblePeriods(
  q: Queryable,
  words: ListWords,
  scope: Scope,
): Promise<readonly number[]> {
  const [beginnings, whole] = [true, false].map((is) =>
    words.terms.filter(({ is_prefix }) => is_prefix === is),
  )
  const periods = await narrowed(q, { ...words, terms: whole ?? [] }, scope, MOST_PROBES)
  return narrowed(q, { ...words, terms: beginnings ?? [], periods }, scope, MOST_OF_BEGINNING)
}

async function narrowed(
  q: Queryable,
  words: ListWords,
  scope: Scope,
  most: number,
): Promise<readonly number[]> {
  const { periods, terms } = words
  const tokensOf = ({ service }: ScopePart) =>
    terms.flatMap((term, n) =>
      periods.flatMap((period) =>
        words.tokensOf(term, service, period).map((token) => ({ found: `${n} ${period}`, token })),
      ),
    )
  const parts = scope.flatMap((part) => {
    const { groups } = part
    return groups === null ? [] : [{ groups, tokens: tokensOf(part), service: part.service }]
  })
  const probes = parts.reduce((sum, { groups, tokens }) => sum + groups.length * tokens.length, 0)
  if (terms.length === 0 || parts.length < scope.length || probes > most) return periods
  const found = new Set<string>()
  for (const { groups, tokens, service } of parts) {
    const table = service === COMMENTS ? 'comment_words' : 'content_words'
    const { rows } = await q.query<{ nth: number }>(
      visibleSql(table),
      [q.client_id, tokens.map(({ token }) => token), groups],
      `visible_${table}`,
    )
    for (const { nth } of rows) found.add(tokens[nth - 1]?.found ?? '')
  }
  return periods.filter((period) => terms.every((_term, n) => found.has(`${n} ${period}`)))
}

/**
 * One index lookup per word and group, independent of earlier results: finds the first group from this one on
 * with the word. That order leaves the planner no other plan.
 */
const visibleSql = (table: string) => `
  select nth::int as nth from unnest($2::bigint[]) with ordinality x (token, nth) cross join lateral (
    select count(*) filter (where g.id = (select w.group_id from ${table} w where w.client_id = $1 and w.token = x.token and w.group_id >= g.id
      order by w.group_id limit 1)) as visible
    from unnest($3::int[]) g (id)) y
  where visible > 0`
