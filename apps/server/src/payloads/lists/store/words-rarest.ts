import { binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { startOfPeriod } from '../../word-store.ts'
import type { Direction } from './filter.ts'
import type { ListKey } from './place.ts'
import type { ScopePart } from './scope.ts'
import { termSql } from './words-sql.ts'
import { getWindow } from './words-window.ts'
import type { ListWords } from './words.ts'

/** Entries sampled to estimate the frequency of a term: few, because a frequent one would cost more than the page. */
const SAMPLE = 64
/** Groups sampled of many: each costs a lookup per month and term. */
const SAMPLED_GROUPS = 12
/** Doublings of the month window for prefixes meanwhile: four months. */
const ROUND = 2

/**
 * Puts the rarest term behind a place first, by its newest entries: keys are read by it and checked for the
 * others. No terms when one of them does not occur.
 */
export async function rarestFirst<Words extends ListWords>(
  q: Queryable,
  words: Words,
  parts: readonly ScopePart[],
  direction: Direction,
  after: ListKey,
): Promise<Words> {
  // Those of a reader of groups are in order already.
  if (words.terms.length < 2 || parts.every(({ groups }) => groups !== null)) return words
  const { bind, values } = binder([q.client_id, after[0], after[1], direction.end])
  const looks = words.terms.flatMap((term, n) => {
    const window = getWindow({ ...words, terms: [term] }, direction, after, ROUND)
    if (!window) return []
    const seconds = startOfPeriod((window.periods.at(-1) ?? 0) + 1) - startOfPeriod(window.periods[0] ?? 0)
    return parts.map((part) => {
      const some = sampled(part)
      const isAll = window.next === undefined && some === part
      return `select ${n} as n, count(*)::int as count, ${isAll} as is_all,
        case when count(*) = ${SAMPLE} then ${SAMPLE} / (1 + max(t) - min(t))::float8 else count(*) / ${seconds}::float8 end as rate
        from (${termSql(words, term, some, window, direction, SAMPLE, bind)}) s`
    })
  })
  if (looks.length === 0) return { ...words, terms: [] }
  const text = looks.join('\nunion all\n')
  const { rows } = await q.query<{ n: number; count: number; is_all: boolean; rate: number }>(text, values)
  const rated = words.terms.map((term, n) => {
    const mine = rows.filter((row) => row.n === n)
    const isNowhere = mine.every(({ count, is_all }) => count === 0 && is_all)
    return { term, isNowhere, rate: mine.reduce((sum, { rate }) => sum + rate, 0) }
  })
  if (rated.some(({ isNowhere }) => isNowhere)) return { ...words, terms: [] }
  return { ...words, terms: rated.toSorted((a, b) => a.rate - b.rate).map(({ term }) => term) }
}

/** A part with some of its groups, evenly chosen, if they are many. */
function sampled(part: ScopePart): ScopePart {
  const { groups } = part
  if (groups === null || groups.length <= SAMPLED_GROUPS) return part
  const step = groups.length / SAMPLED_GROUPS
  return {
    ...part,
    groups: Array.from({ length: SAMPLED_GROUPS }, (_, i) => groups[Math.floor(i * step)] ?? 0),
  }
}
