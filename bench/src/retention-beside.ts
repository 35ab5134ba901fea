import { addVisitor, type Archive, signIn, startServer } from './house.ts'
import { load, type Sample } from './load.ts'
import { CLIENT } from './fill.ts'
import { median } from './report.ts'

/** What is asked while retention sweeps, and by whom. */
const CASES = {
  list: { path: '/client/v1/api/payloads?service=calls', role: 'Compliance Reviewer' },
  dashboard: { path: `/admin/v1/api/${CLIENT}/dashboard`, role: 'Account Administrator' },
} as const
type Case = keyof typeof CASES
const NAMES = Object.keys(CASES) as Case[]
/** Milliseconds of each case, again and again. */
const TURN = 4000

/** What lists and the dashboard took, alone and beside the sweep. */
export type Beside = Record<Case, { alone: Pick<Sample, 'p50' | 'p99'>; beside: Pick<Sample, 'p50' | 'p99'> }>

/** Asks lists and the dashboard of the real server, by one who asks again as soon as there is an answer: alone, and while `sweep` is at work. */
export async function askBeside(archive: Archive, sweep: () => Promise<unknown>): Promise<Beside> {
  for (const name of NAMES) await addVisitor(archive, name, CASES[name].role)
  // No worker: what sweeps is what is measured.
  const server = await startServer(archive, undefined, {}, ['api'])
  try {
    const ask = async (name: Case) => {
      const headers = await signIn(server, name)
      const path = () => CASES[name].path
      return load({ port: server.port, path, headers, pids: async () => [server.pid] }, 1, TURN)
    }
    const turn = async () => ({ list: await ask('list'), dashboard: await ask('dashboard') })
    // Pools and plans are warm afterwards.
    await turn()
    const alone = [await turn(), await turn()]
    const beside: Record<Case, Sample>[] = []
    let isOver = false
    const swept = sweep().finally(() => (isOver = true))
    while (!isOver) {
      const found = await turn()
      // A turn that the sweep left half way says less than it took.
      if (!isOver || beside.length === 0) beside.push(found)
    }
    await swept
    const middle = (turns: readonly Record<Case, Sample>[], name: Case) => ({
      p50: median(turns.map((each) => each[name].p50)),
      p99: median(turns.map((each) => each[name].p99)),
    })
    const both = (name: Case) => ({ alone: middle(alone, name), beside: middle(beside, name) })
    return { list: both('list'), dashboard: both('dashboard') }
  } finally {
    await server.stop()
  }
}
