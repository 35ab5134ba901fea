import { addVisitor, type Archive } from './archive.ts'
import { CLIENT } from './fill.ts'
import { load, type Sample } from './load.ts'
import { median } from './report.ts'
import { signIn, startServer } from './server.ts'

/** The requests that are sent while retention deletes, and the role of the person who sends them. */
const CASES = {
  list: { path: '/client/v1/api/payloads?service=calls', role: 'Compliance Reviewer' },
  dashboard: { path: `/admin/v1/api/${CLIENT}/dashboard`, role: 'Account Administrator' },
} as const
type Case = keyof typeof CASES
const NAMES = Object.keys(CASES) as Case[]

type Times = Pick<Sample, 'p50' | 'p99'>

/** Response times of each case: alone, and during the sweep. */
export type Requests = Record<Case, { exclusively: Times; during: Times }>

/** Requests lists and the dashboard from the server, one request at a time: alone, and while `sweep` runs. */
export async function measureRequests(
  archive: Archive,
  milliseconds: number,
  sweep: () => Promise<unknown>,
): Promise<Requests> {
  for (const name of NAMES) await addVisitor(archive, name, CASES[name].role)
  const server = await startServer(archive)
  try {
    const one = async (name: Case) => {
      const headers = await signIn(server, name)
      const path = () => CASES[name].path
      const pids = async () => [server.pid]
      return load({ port: server.port, path, headers, pids }, 1, milliseconds)
    }
    const turn = async () => ({ list: await one('list'), dashboard: await one('dashboard') })
    // Pools and plans are warm afterwards.
    await turn()
    const exclusively = [await turn(), await turn()]
    const during: Record<Case, Sample>[] = []
    let isOver = false
    const swept = sweep().finally(() => (isOver = true))
    while (!isOver) {
      const found = await turn()
      // The sweep ended within the last turn.
      if (!isOver || during.length === 0) during.push(found)
    }
    await swept
    const middle = (mutex: readonly Record<Case, Sample>[], name: Case): Times => ({
      p50: median(mutex.map((each) => each[name].p50)),
      p99: median(mutex.map((each) => each[name].p99)),
    })
    const both = (name: Case) => ({ exclusively: middle(exclusively, name), during: middle(during, name) })
    return { list: both('list'), dashboard: both('dashboard') }
  } finally {
    await server.stop()
  }
}
