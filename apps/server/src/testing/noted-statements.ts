import type { Queryable } from '../ports/database/lease.ts'

/** Sends statements, and notes each, with `explains` together with the blocks that it reads. */
export const noting = (q: Queryable, statements: string[], explains: boolean) =>
  Object.assign(Object.create(q) as Queryable, {
    query: async (text: string, values: unknown[], ...rest: unknown[]) => {
      statements.push(text)
      if (explains) statements.push(await getBlocks(q, text, values))
      return (q.query as (...all: unknown[]) => unknown)(text, values, ...rest)
    },
  })

/** How many blocks of the database a statement reads. */
async function getBlocks(q: Queryable, text: string, values: unknown[]): Promise<string> {
  const { rows } = await q.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  )
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } =
    rows[0]?.['QUERY PLAN'][0]?.Plan ?? {}
  return `blocks ${hit + read}`
}
