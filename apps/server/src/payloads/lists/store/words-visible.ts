import type { Queryable } from '../../../ports/database/lease.ts'
import type { Scope, ScopePart } from './scope.ts'
import type { ListWords } from './words.ts'

/** Most words that one search looks up in groups. A reader of very many groups reads the index instead. */
const MOST_PROBES = 50_000

/**
 * The months in which every whole word has a payload in the scope's groups. A word in other groups only costs
 * the same as a missing one: each word is looked up in each group of the reader. Prefixes are not looked up.
 */
export async function visiblePeriods(
  q: Queryable,
  words: ListWords,
  scope: Scope,
): Promise<readonly number[]> {
  const { periods } = words
  const terms = words.terms.filter(({ is_prefix }) => !is_prefix)
  const tokensOf = ({ service }: ScopePart) =>
    terms.flatMap((term, n) =>
      periods.flatMap((period) =>
        words.tokensOf(term, service, period).map((token) => ({ found: `${n} ${period}`, token })),
      ),
    )
  const parts = scope.flatMap((part) => {
    const { groups } = part
    return groups === null ? [] : [{ groups, tokens: tokensOf(part) }]
  })
  const probes = parts.reduce((sum, { groups, tokens }) => sum + groups.length * tokens.length, 0)
  if (terms.length === 0 || parts.length < scope.length || probes > MOST_PROBES) return periods
  const found = new Set<string>()
  for (const { groups, tokens } of parts) {
    const { rows } = await q.query<{ nth: number }>(
      VISIBLE,
      [q.client_id, tokens.map(({ token }) => token), groups],
      'words_visible',
    )
    for (const { nth } of rows) found.add(tokens[nth - 1]?.found ?? '')
  }
  return periods.filter((period) => terms.every((_term, n) => found.has(`${n} ${period}`)))
}

/** One index lookup per word and group, independent of earlier results. */
const VISIBLE = `
  select nth::int as nth from unnest($2::bigint[]) with ordinality x (token, nth) cross join lateral (
    select count((select true from content_words w where w.client_id = $1 and w.token = x.token and w.group_id = g.id limit 1)) as visible
    from unnest($3::int[]) g (id)) y
  where visible > 0`
