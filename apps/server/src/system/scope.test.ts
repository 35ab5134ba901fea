import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RandomAccount, SEED, sorted } from './scope/account.test-support.ts'
import { additions } from './scope/additions.test-support.ts'
import { conversationsAndExports } from './scope/conversations.test-support.ts'
import { payloadLists } from './scope/payload-lists.test-support.ts'

/**
 * Random roles over a random account: lists, totals, single reads and linked items must show exactly what the naive
 * oracle allows, payload by payload and group by group.
 */
describe(`the access scope of a user (SCOPE_SEED=${SEED})`, () => {
  const account = new RandomAccount()
  before(() => account.open())
  after(() => account.close())

  payloadLists(account)
  additions(account)
  conversationsAndExports(account)

  for (const [path, action, key] of [
    ['/admin/v1/api/random/groups', 'groups:list', 'group_reference'],
    ['/admin/v1/api/random/device_activities', 'device_activities:list', 'group'],
    ['/admin/v1/api/random/alerts', 'alerts:list', 'group'],
    ['/admin/v1/api/random/devices', 'devices:list', 'group'],
    ['/admin/v1/api/random/users', 'users:list', 'group'],
    ['/admin/v1/api/random/commands', 'commands:list', 'group'],
    ['/admin/v1/api/random/capture_gaps', 'capture_gaps:list', 'group'],
    ['/client/v1/api/device_logs?client=random', 'device_logs:list', 'group'],
    ['/client/v1/api/gps?client=random', 'gps:list', 'group'],
    ['/admin/v1/api/random/telemetry', 'telemetry:list', 'group'],
    ['/admin/v1/api/random/telemetry?latest=true', 'telemetry:list', 'group'],
  ] as const) {
    it(`applies to ${path}`, async () => {
      for (const person of account.people) {
        const shown = await account.rows(person, path)
        const expected = account.groups.filter((group) => account.allows(person, action, group))
        if (shown === undefined) {
          assert.equal(expected.length, 0, `${person.name} is refused a list`)
          continue
        }
        // Alerts do not name their group: their references count it.
        const names =
          key === 'group' && path.endsWith('alerts')
            ? shown.map(
                (row) => account.groups[Number(String(row.alert_reference).at(-1)) - 1]?.group_reference,
              )
            : shown.map((row) => row[key])
        assert.deepEqual(
          sorted(names.filter((name) => name !== null && name !== undefined)),
          sorted(expected.map((group) => group.group_reference)),
          person.name,
        )
      }
    })
  }

  it('applies to metrics and their sums', async () => {
    for (const person of account.people) {
      const shown = await account.rows(person, '/admin/v1/api/random/metrics/Summary')
      const expected = new Map<string, number>()
      for (const {
        payload_state,
        device_reference,
        device_user_reference,
        group,
        payload_type,
      } of account.visible(person, 'metrics:list')) {
        if (payload_state === 'Deleted' || payload_state === 'Destroyed') continue
        const key = JSON.stringify([device_reference, device_user_reference, group, payload_type])
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      if (shown === undefined) {
        assert.equal(expected.size, 0, `${person.name} is refused a list`)
        continue
      }
      const result = shown.map((row) => [
        JSON.stringify([row.device_reference, row.device_user_reference, row.group, row.payload_type]),
        row.count,
      ])
      assert.deepEqual(result.map(String).toSorted(), [...expected].map(String).toSorted(), person.name)
      const all = [...expected.values()].reduce((sum, n) => sum + n, 0)
      for (const subject of ['periods', 'devices', 'users', 'groups']) {
        const counted = (await account.rows(person, `/admin/v1/api/random/metrics/Monthly/${subject}`)) ?? []
        const sum = counted.reduce((each, row) => each + Number(row.count), 0)
        assert.equal(sum, all, `${person.name} ${subject}`)
      }
    }
  })

  it('applies to the dashboard counts', async () => {
    for (const person of account.people) {
      const { status, body } = await account.get(person, '/admin/v1/api/random/dashboard')
      if (status === 403) continue
      const within = account.groups.filter((group) => account.allows(person, 'dashboard:read', group)).length
      const { devices, device_users } = body as unknown as {
        devices: Record<string, number>
        device_users: Record<string, number>
      }
      const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0)
      assert.deepEqual([sum(devices), sum(device_users)], [within, within], person.name)
    }
  })
})
