import { makeClient } from '@custodia/client'
import type { LeftOutReason, RoleInput } from '@custodia/contract'
import { SYSTEM_ROLES } from '@custodia/domain'
import { roleInput, transferInput } from '../../testing/access-fixture.ts'
import { openSession } from '../../testing/alert-fixture.ts'
import type { TestServer } from '../../testing/server.ts'
import { carryOutRun } from '../../transfers/engine.ts'
import { REFERENCES, type Target } from './references.test-support.ts'

/** The result for one payload in a run of a transfer config whose role lost rights after the config was saved. */
export interface Outcome {
  /** What the role lost. */
  lost: string
  target: Target
  isTaken: boolean
  /** Reasons for which the run leaves payloads of its type out. */
  left_out: readonly LeftOutReason[]
  isAlerted: boolean
}

const ROLE = 'Matrix Delivery'
const DOWNLOADS = ['payloads:download', 'payloads:read']
const getRole = (actions_matching: string[], names_matching: string[], more: Partial<RoleInput> = {}) =>
  roleInput([{ actions_matching, conditions: [{ names_matching }] }], more)
const WHOLE = getRole(DOWNLOADS, ['Own', 'Foreign'])
/** The role at the run. */
const LOSSES: Readonly<Record<string, RoleInput>> = {
  nothing: WHOLE,
  'a group': getRole(DOWNLOADS, ['Own']),
  'a payload type': getRole(DOWNLOADS, ['Own', 'Foreign'], { payload_types: ['SMS'] }),
  'the download': getRole(['payloads:read'], ['Own', 'Foreign']),
  'use without networks': { ...WHOLE, cidr_ranges: ['203.0.113.0/24'] },
}
const TYPES: Partial<Record<Target, string>> = { own: 'SMS', 'other group': 'SMS', 'other type': 'Photo' }

/** Runs a transfer config for each loss of its role. The egress guard refuses its server, so nothing is sent. */
export async function runDeliveries({ ctx, url, getId }: TestServer): Promise<Outcome[]> {
  const token = await openSession(ctx, {
    client: 'acme',
    user_reference: 'matrix delivery',
    roles: SYSTEM_ROLES.map(({ role_reference }) => role_reference),
  })
  const api = makeClient({ baseUrl: url, client: () => 'acme', credentials: async () => ({ token }) })
  const client_id = await getId('acme')
  const role = { params: { role_reference: ROLE }, query: {} }
  const outcomes: Outcome[] = []
  for (const [lost, body] of Object.entries(LOSSES)) {
    const params = { transfer_config_reference: `matrix/${lost.replaceAll(' ', '-')}` }
    await api.saveRole({ ...role, body: WHOLE })
    await api.createTransferConfig({ params, body: CONFIG })
    await api.saveRole({ ...role, body })
    const { transfer_id } = await api.runTransferConfig({ params })
    await carryOutRun(ctx, { client_id, client: 'acme', transfer_id }, new AbortController().signal)
    const run = await api.readTransfer({ params: { transfer_id } })
    const alerts = await ctx.db.owner.query('select from alerts where alert_key = $1', [
      `transfer_role_narrowed ${params.transfer_config_reference}`,
    ])
    for (const [target, type] of Object.entries({ ...TYPES, 'other client': undefined }))
      outcomes.push({
        lost,
        target: target as Target,
        isTaken: run.related_payloads.includes(REFERENCES.payload_reference?.[target as Target] ?? ''),
        left_out: run.left_out
          .filter(({ payload_type }) => payload_type === type)
          .map(({ reason }) => reason),
        isAlerted: alerts.rows.length > 0,
      })
  }
  return outcomes
}

const CONFIG = transferInput(
  { username: 'matrix', root_directory: '/', host_key: `SHA256:${'A'.repeat(43)}` },
  { payload_types: ['SMS', 'Photo'], role_reference: ROLE, sftp_password: 'matrix' },
)

/** A line per target, a column per loss. */
export function drawnDeliveries(outcomes: readonly Outcome[]): string[] {
  const lines = ['run of a transfer config  whose role lost']
  for (const [target, some] of Map.groupBy(outcomes, (each) => each.target)) {
    lines.push(`  ${target}`)
    for (const [text, same] of [...Map.groupBy(some, inWords)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      lines.push(`    ${text.padEnd(46)} ${same.map(({ lost }) => lost).join(', ')}`)
  }
  return lines
}

function inWords({ target, isTaken, left_out, isAlerted }: Outcome): string {
  if (isTaken) return 'taken'
  if (target === 'other client') return 'not in the run'
  return `left out: ${left_out.join(', ')}${isAlerted ? ', alert' : ''}`
}
