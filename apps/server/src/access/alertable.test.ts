import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { PortalUser } from '../http/context.ts'
import { openPerson } from '../testing/access-fixture.ts'
import { testServer } from '../testing/server.ts'
import { alertableUses } from './alertable.ts'

const server = await testServer()
after(() => server.close())
const gina = await openPerson(server, 'globex', 'gina')

describe('roles whose use raises an alert', () => {
  const raised = async () => {
    const rows = await server.sql(
      `select alert_scope, alert_severity, occurrence_count, alert_message, related_entities from alerts
       where alert_key like 'alertable-role:%' order by first_occurrence, alert_key`,
    )
    return rows as { alert_message: string; occurrence_count: number }[]
  }
  const setRoles = (...roles: string[]) =>
    server.sql(`update portal_sessions set roles = $1 where user_reference = 'gina'`, [roles])

  it('raise one alert a day, on the first permitted call that uses them', async () => {
    await gina.api.listPayloads({})
    assert.deepEqual(await raised(), [])
    await setRoles('Compliance Reviewer', 'Support Content')
    await assert.rejects(gina.api.listRoles({}))
    assert.deepEqual(await raised(), [], 'a refused call uses nothing')
    await Promise.all(Array.from({ length: 5 }, () => gina.api.listPayloads({})))
    assert.deepEqual(await raised(), [
      {
        alert_scope: 'sec',
        alert_severity: 'Medium',
        occurrence_count: 1,
        alert_message: 'gina used the role Support Content.',
        related_entities: [{ entity_id: 'gina', entity_type: 'PortalUser' }],
      },
    ])
    await setRoles('Compliance Reviewer')
  })

  it('raise separate alerts for a person and a client app of the same name', async () => {
    await server.sql('delete from alerts')
    const gina = { client_id: await server.getId('globex'), user_reference: 'gina' }
    const note = alertableUses(server.ctx.db)
    const access = { alertableFor: () => ['Support Content'] }
    for (const is_client_app of [true, false])
      await note({ ...gina, is_client_app, access } as unknown as PortalUser, 'payloads:list', 86_400)
    assert.deepEqual(
      (await raised()).map((each) => each.alert_message),
      ['gina (app) used the role Support Content.', 'gina used the role Support Content.'],
    )
  })

  it('raise one alert a day across all processes, and another for support staff', async () => {
    await server.sql('delete from alerts')
    const caller = {
      client_id: await server.getId('globex'),
      user_reference: 'gina',
      access: { alertableFor: () => ['Support Content'] },
    } as unknown as PortalUser
    const processes = Array.from({ length: 4 }, () => alertableUses(server.ctx.db))
    const midnight = 86_400 * 20_000
    await Promise.all(processes.map((note) => note(caller, 'payloads:list', midnight)))
    await Promise.all(processes.map((note) => note(caller, 'payloads:play', midnight + 86_399)))
    assert.deepEqual(
      (await raised()).map((each) => each.occurrence_count),
      [1],
    )
    const support = { ...caller, support_reference: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }
    await processes[0]?.(support, 'payloads:list', midnight)
    await processes[0]?.(caller, 'payloads:list', midnight + 86_400)
    assert.deepEqual(
      (await raised()).map((each) => each.alert_message),
      [
        'gina (support) used the role Support Content.',
        'gina used the role Support Content.',
        'gina used the role Support Content.',
      ],
    )
  })

  it('fail the call when their alert cannot be raised', async () => {
    await server.sql('delete from alerts')
    await server.sql(`alter table alerts add constraint closed check (alert_scope <> 'sec') not valid`)
    const fresh = alertableUses(server.ctx.db)
    const caller = {
      client_id: await server.getId('globex'),
      user_reference: 'gina',
      access: { alertableFor: () => ['Support Content'] },
    } as unknown as PortalUser
    await assert.rejects(fresh(caller, 'payloads:list', 86_400 * 30_000))
    await assert.rejects(fresh(caller, 'payloads:list', 86_400 * 30_000), 'it is not taken for raised')
  })
})
