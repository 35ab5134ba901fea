/**
 * Sends malformed and hostile requests to the real server, with valid and forged tokens of people, staff and devices:
 *
 *     node tools/rigs/fuzz.ts [--requests 50000] [--seed 1]
 *
 * Prints the seed, another one in each run, and each request that gets a 5xx or no response. Exits with 1 on any. The tests
 * send fewer requests.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { api, fullPath } from '@custodia/contract'
import { memoryStore, openPhone } from '@custodia/device-sdk'
import { carriedPhone, findDemoPerson } from '@custodia/simulator'
import { type Bearers, hostileRequests } from '../../apps/server/src/system/hostile-calls.test-support.ts'
import { signIn } from '../../apps/server/src/testing/access-fixture.ts'
import { seeded } from '../../apps/server/src/testing/require-part.ts'
import { withServer } from './server-process.ts'

/** Requests between token renewals, and in parallel. */
const RENEWED_AFTER = 2000
const AT_ONCE = 8

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '50000' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
    },
  })
  console.log(`Seed ${values.seed}`)
  return withServer({ DEMO: 'true', RATE_PORTAL: 'off' }, async (server, dataDir) => {
    let bearers = await getBearerTokens(server.url, dataDir)
    const next = hostileRequests(seeded(Number(values.seed)), () => bearers)
    const statuses: Record<string, number> = {}
    const faults: string[] = []
    const total = Number(values.requests)
    for (let sent = 0; sent < total;) {
      const round = Math.min(RENEWED_AFTER, total - sent)
      const send = async () => {
        for (; left > 0;) {
          left--
          const { method, path, headers, body } = next()
          const status = await fetch(server.url + path, {
            method,
            headers,
            body: body ?? null,
            redirect: 'manual',
          })
            .then(async (response) => {
              await response.arrayBuffer()
              return response.status
            })
            .catch(() => 'no answer' as const)
          statuses[status] = (statuses[status] ?? 0) + 1
          if (status === 'no answer' || status >= 500)
            faults.push(
              `${status} ${method} ${path} ${JSON.stringify(headers)} ${String(body).slice(0, 2000)}`,
            )
        }
      }
      let left = round
      await Promise.all(Array.from({ length: AT_ONCE }, send))
      sent += round
      console.error(`${sent} of ${total}: ${JSON.stringify(statuses)}`)
      bearers = await getBearerTokens(server.url, dataDir)
    }
    for (const fault of faults.slice(0, 20)) console.error(fault)
    console.table(statuses)
    return faults.length === 0
  })
}

async function getBearerTokens(url: string, dataDir: string): Promise<Bearers> {
  const { account, person } = await findDemoPerson(dataDir, ({ email }) => email.endsWith('@acme.example'))
  const phone = await openPhone({
    enrolment: { server_url: url, ...account },
    identity: carriedPhone(person).identity,
    store: memoryStore(),
  })
  const provider = (await signIn(url, 'admin', 'dave')).id_token
  // A hostile request of the provider may have suspended the client. Answers a problem when none has.
  await fetch(url + fullPath(api.resumeClient).replace('{client}', 'acme'), {
    method: api.resumeClient.method,
    headers: { authorization: `Bearer ${provider}` },
  })
  return {
    person: (await signIn(url, 'acme', 'alice')).id_token,
    provider,
    phone: (await phone.authenticate()).access_token,
  }
}

process.exitCode = (await main()) ? 0 : 1
