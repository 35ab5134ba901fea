import type pg from 'pg'

/** Transactions of this process before its first look, and the factor to each later one. New statistics cost new plans. */
const FIRST_LOOK = 512
const LATER = 8

/** Tables that have doubled since PostgreSQL analysed them. Of a small one statistics matter little. */
const GROWN = `
  select string_agg(format('%I.%I', schemaname, relname), ', ') as tables from pg_stat_user_tables
  where n_mod_since_analyze >= 200 and n_mod_since_analyze * 2 >= n_live_tup`

/**
 * Analyses tables of a new installation while they grow. PostgreSQL does so once a minute; until then it takes them
 * for empty, and its plans read all rows of a client for each batch. The returned function counts a transaction.
 */
export function statisticsKeeper(owner: pg.Pool): () => void {
  let count = 0
  let next = FIRST_LOOK

  async function look(): Promise<void> {
    const { rows } = await owner.query<{ tables: string | null }>(GROWN)
    const tables = rows[0]?.tables ?? null
    if (tables !== null) await owner.query(`analyze (skip_locked) ${tables}`)
  }

  return () => {
    if (++count < next) return
    next *= LATER
    // PostgreSQL itself looks again soon.
    void look().catch(() => undefined)
  }
}
