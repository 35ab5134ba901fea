import { api, type Endpoint, type EndpointName } from '@custodia/contract'
import { testIssuer } from '../../testing/issuer.ts'
import { testServer, type TestServer } from '../../testing/server.ts'
import { APP_ORIGIN, type Call, everyCall } from './calls.test-support.ts'
import { drawnDeliveries, type Outcome, runDeliveries } from './deliveries.test-support.ts'
import { type Principal, principals } from './principals.test-support.ts'
import { commentOnTargets, restoreTargets } from './targets.test-support.ts'

export const GOLDEN = new URL('matrix.golden.txt', import.meta.url)

/** What one call answered one principal: its status, and for batches what became of the first item. */
export interface Cell {
  call: Call
  principal: string
  status: number
  text: string
  /** Without what differs between two equal answers. */
  body: string
}

export interface Matrix {
  cells: readonly Cell[]
  /** What runs of a transfer config deliver once its role lost rights. */
  deliveries: readonly Outcome[]
  /** The cells as the golden file draws them. */
  drawn: string
}

/** Sends calls, by default all, as every principal against every target, on a server of their own. */
export async function runMatrix(
  prepare: (server: TestServer) => Promise<void> = async () => {},
  calls: readonly Call[] = everyCall(),
): Promise<Matrix> {
  const issuer = await testIssuer()
  const server = await testServer({
    // Nobody looks up a name that is allowed as it stands.
    EGRESS_ALLOW: `${issuer.issuer},${APP_ORIGIN}`,
    RATE_PORTAL: 'off',
    RATE_DEVICE: 'off',
    RATE_DEVICE_ITEMS: 'off',
    RATE_DEVICE_REPORTS: 'off',
    RATE_PUBLIC: 'off',
  })
  try {
    await restoreTargets(server.ctx.db, server.ctx.now())
    await commentOnTargets(server.ctx)
    const everybody = await principals(server, issuer)
    await prepare(server)
    const cells: Cell[] = []
    for (const call of calls) {
      for (const principal of everybody) {
        const cell = await ask(server, call, principal)
        cells.push(cell)
        if (call.changes && cell.status < 400) await restoreTargets(server.ctx.db, server.ctx.now())
      }
    }
    const deliveries = await runDeliveries(server)
    return { cells, deliveries, drawn: drawn(cells, everybody, deliveries) }
  } finally {
    await server.close()
    await issuer.close()
  }
}

async function ask(server: TestServer, call: Call, { name, ...principal }: Principal): Promise<Cell> {
  const authorization = await principal.authorization()
  const answer = await server.app.inject({
    method: call.method,
    url: call.url,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { payload: JSON.stringify(call.body) }),
  })
  const body = answer.body.replace(/"request_id":"[^"]*"/, '"request_id":""')
  return { call, principal: name, status: answer.statusCode, text: inWords(answer.statusCode, body), body }
}

function inWords(status: number, body: string): string {
  if (status >= 300 || !body.startsWith('{')) return String(status)
  const answer = JSON.parse(body) as Record<string, unknown>
  const [batch] = Object.values(answer).filter(Array.isArray) as { status?: string }[][]
  const outcome = batch?.[0]?.status ?? answer.status
  return typeof outcome === 'string' ? `${status} ${outcome}` : String(status)
}

/** A block per call: a line per target, a column per principal. */
function drawn(
  cells: readonly Cell[],
  everybody: readonly Principal[],
  deliveries: readonly Outcome[],
): string {
  const lines = [
    '# Who gets what. A line per call and target, a column per principal. Made by matrix.test.ts; a change is a change of rights.',
    '',
  ]
  const groups = Map.groupBy(cells, ({ call }) => call.name)
  for (const [name, ofCall] of groups) {
    const { method, portal, path } = api[name as EndpointName] as Endpoint
    lines.push(`${name}  ${method} ${portal} ${path}`)
    for (const [target, ofTarget] of Map.groupBy(ofCall, ({ call }) => call.target)) {
      const bySameAnswer = Map.groupBy(ofTarget, ({ text }) => text)
      lines.push(`  ${target}`)
      for (const [text, some] of [...bySameAnswer].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const who = some.map(({ principal }) => principal)
        lines.push(`    ${text.padEnd(22)} ${who.length === everybody.length ? 'everybody' : who.join(', ')}`)
      }
    }
  }
  lines.push(...drawnDeliveries(deliveries))
  return `${lines.join('\n')}\n`
}
