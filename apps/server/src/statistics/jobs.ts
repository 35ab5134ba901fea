import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import {
  type ClientFigures,
  ENTITY_TABLES,
  type StatisticsSource,
  isLarge,
  LOG_TABLES,
  type TableFacts,
} from './figures.ts'
import { countCommonRows, countOfClient, listTables, readGathered, writeGathered } from './store.ts'

/** Seconds that one statement may take. */
const STATEMENT_SECONDS = 30
/** Name of the object store that lies in the folder of the installation. */
const OBJECTS_FOLDER = 'objects'

type Parts = Pick<AppContext, 'db' | 'config' | 'log' | 'now'>

/**
 * Counts what the installation keeps and stores it as its newest figures. Whatever cannot be counted in time keeps its former figures.
 * @param seconds after which no further client is counted
 */
export async function gatherStatistics(ctx: Parts, seconds: number): Promise<StatisticsSource> {
  const { db, config } = ctx
  const now = ctx.now()
  const former = await readGathered(db)
  const tables = await listTables(db)
  const common = await countCommon(ctx, tables)
  const clients = await countClients(ctx, countedByClient(tables), now + seconds, former?.clients ?? [])
  const gathered = { tables, common, clients, bucket: config.s3?.bucket ?? OBJECTS_FOLDER, now }
  await writeGathered(db, gathered)
  return gathered
}

/** Tables of tenants that are counted row by row. */
function countedByClient(tables: readonly TableFacts[]): string[] {
  const small = tables.filter((table) => table.is_tenant && table.is_readable && !isLarge(table))
  return [...new Set([...Object.values(ENTITY_TABLES), ...LOG_TABLES, ...small.map(({ name }) => name)])]
}

async function countCommon(
  { db, log }: Parts,
  tables: readonly TableFacts[],
): Promise<Record<string, number>> {
  const counted = tables.filter((table) => !table.is_tenant && table.is_readable && !isLarge(table))
  try {
    const names = counted.map(({ name }) => name)
    return await countCommonRows(db, names, STATEMENT_SECONDS)
  } catch (error) {
    log.warn({ err: error }, 'the tables without tenant were not counted; estimates stand instead')
    return {}
  }
}

async function countClients(
  { db, log, now }: Parts,
  tables: readonly string[],
  until: number,
  former: readonly ClientFigures[],
): Promise<ClientFigures[]> {
  const figures: ClientFigures[] = []
  for (const client of await listClients(db)) {
    const before = former.find((each) => each.client === client.client)
    const after =
      now() < until
        ? await countOfClient(db, client, tables, { seconds: STATEMENT_SECONDS, now: now() }).catch(
            (error: unknown) => {
              const { client_id } = client
              log.warn({ err: error, client_id }, 'a client was not counted; its former figures stay')
            },
          )
        : undefined
    const best = after ?? before
    if (best) figures.push(best)
  }
  return figures
}

/** Seconds that gathering may take: the next run comes after an hour. */
const GATHER_SECONDS = 1200

/** Counts what the installation keeps, when a worker starts and every hour. */
export const gatherFigures = periodicJob({
  name: 'statistics.gather',
  every: 3600,
  retries: 1,
  run: async (ctx) => void (await gatherStatistics(ctx, GATHER_SECONDS)),
})
