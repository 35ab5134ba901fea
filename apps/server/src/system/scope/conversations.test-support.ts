import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type DataExport, getService } from '@custodia/contract'
import { isListed, type RandomAccount, sorted, within } from './account.test-support.ts'

/** Conversations and exports. */
export function conversationsAndExports(account: RandomAccount): void {
  it('applies to the messages of a conversation', async () => {
    const conversations = new Map(
      account.fixture.payloads.flatMap(({ device_reference, thread_id }) =>
        thread_id === undefined
          ? []
          : [[`${device_reference} ${thread_id}`, { device_reference, thread_id }] as const],
      ),
    )
    let seen = 0
    for (const person of account.people) {
      const expected = account
        .visible(person, 'devices.sms:read')
        .filter(({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed')
      for (const { device_reference, thread_id } of [...conversations.values()].slice(0, 12)) {
        const path = `devices/${encodeURIComponent(device_reference)}/sms/${encodeURIComponent(thread_id)}`
        const within = expected.filter(
          (each) => each.device_reference === device_reference && each.thread_id === thread_id,
        )
        const day = account.pick(account.fixture.payloads).payload_time
        const at = `${new Date(day * 1000).toISOString().slice(0, 10)}-${new Date(day * 1000).toISOString().slice(11, 19).replaceAll(':', '')}`
        for (const [query, holds] of [
          ['', () => true],
          [`&order=oldest&from=${at}`, (time: number) => time >= day],
          [`&to=${at}`, (time: number) => time < day],
        ] as const) {
          const shown = (await account.rows(person, `/client/v1/api/${path}?client=random${query}`)) ?? []
          assert.deepEqual(
            sorted(shown.map((row) => row.payload_reference)),
            sorted(within.filter((each) => holds(each.payload_time)).map((each) => each.payload_reference)),
            `${person.name} ${path} ${query}`,
          )
          const times = shown.map((row) => Number(row.payload_time))
          assert.deepEqual(
            times,
            times.toSorted((a, b) => (query.includes('oldest') ? a - b : b - a)),
          )
        }
        seen += within.length
      }
    }
    assert.ok(seen > 0, `only ${seen} messages were compared`)
  })

  it('applies to the list of conversations of people who are limited to legal matters', async () => {
    let seen = 0
    for (const person of account.people.filter(({ held }) => held)) {
      const shown = await account.rows(person, '/client/v1/api/conversations?client=random')
      const messages = account
        .visible(person, 'payloads:list')
        .filter((each) => isListed(each) && each.thread_id !== undefined)
      const expected = Map.groupBy(messages, (each) =>
        JSON.stringify([each.device_reference, each.thread_id]),
      )
      assert.deepEqual(
        sorted(
          (shown ?? []).map((row) => [
            JSON.stringify([row.device_reference, row.thread_id]),
            row.message_count,
          ]),
        ),
        sorted([...expected].map(([key, of]) => [key, of.length])),
        person.name,
      )
      seen += expected.size
    }
    if (process.env.CI) assert.ok(seen > 0, `only ${seen} conversations were compared`)
  })

  it('applies to the conversation summaries of devices', async () => {
    let seen = 0
    for (const person of account.people) {
      const expected = account
        .visible(person, 'devices.sms:list')
        .filter(({ payload_state }) => payload_state !== 'Deleted' && payload_state !== 'Destroyed')
      for (const device_reference of new Set(
        account.fixture.payloads.map((payload) => payload.device_reference),
      )) {
        const path = `/client/v1/api/devices/${encodeURIComponent(device_reference)}/sms?client=random`
        const threads = Map.groupBy(
          expected.filter(
            (each) => each.device_reference === device_reference && each.thread_id !== undefined,
          ),
          ({ thread_id }) => thread_id,
        )
        const summaries = [...threads].map(([thread_id, messages]) => {
          const last = messages
            .toSorted((a, b) => a.payload_time - b.payload_time || a.payload_id - b.payload_id)
            .at(-1)
          return JSON.stringify({
            thread_id,
            message_count: messages.length,
            message_types: [...new Set(messages.map(({ payload_type }) => payload_type))].toSorted(),
            last_message_at: last?.payload_time,
            last_payload_reference: last?.payload_reference,
            numbers: last?.numbers,
          })
        })
        const shown = await account.rows(person, `${path}&limit=2`)
        const result = (shown ?? []).map(({ parties, party_count, message_types, ...row }) => {
          const numbers = (parties as { phone_number: string }[]).map(({ phone_number }) => phone_number)
          assert.equal(party_count, numbers.length)
          return JSON.stringify({
            thread_id: row.thread_id,
            message_count: row.message_count,
            message_types: (message_types as string[]).toSorted(),
            last_message_at: row.last_message_at,
            last_payload_reference: row.last_payload_reference,
            numbers,
          })
        })
        assert.deepEqual(sorted(result), sorted(summaries), `${person.name} ${path}`)
        const times = (shown ?? []).map((row) => Number(row.last_message_at))
        assert.deepEqual(
          times,
          times.toSorted((a, b) => b - a),
        )
        const total = await account.get(person, `${path}&type=total`)
        if (total.status === 200) assert.equal(total.body.total, summaries.length)
        seen += summaries.length
      }
    }
    assert.ok(seen > 0, `only ${seen} conversations were compared`)
  })

  it('applies to exports: the plan and the contents of each part', async () => {
    let [seen, refused] = [0, 0]
    const reading = [within('payloads:list'), within('payloads:download')]
    const takers = [
      await account.withRights('takes all', within('payloads:*')),
      await account.withRights('takes some', ...reading, within('payloads:export', '*1*', '*2*')),
    ]
    for (const person of [...takers, ...account.people]) {
      const expected = account
        .visible(person, 'payloads:list')
        .filter((each) => isListed(each) && getService(each.payload_type) === 'calls')
      const [mayExport, mayDownload] = ['payloads:export', 'payloads:download'].map(
        (action) =>
          new Set(account.visible(person, action).map(({ payload_reference }) => payload_reference)),
      )
      const headers = { authorization: `Bearer ${person.token}` }
      const made = await account.server.app.inject({
        method: 'POST',
        url: '/client/v1/api/exports?client=random&service=calls',
        headers,
        payload: { part_megabytes: 1 },
      })
      if (made.statusCode === 403) {
        assert.equal(
          account.visible(person, 'payloads:export').length,
          0,
          `${person.name} is refused an export`,
        )
        continue
      }
      assert.equal(made.statusCode, 200, made.body)
      const { export_id, items, parts } = made.json() as DataExport
      assert.equal(items, expected.length, person.name)
      const planned: unknown[] = []
      for (const { part } of parts) {
        const { status, body } = await account.get(
          person,
          `/client/v1/api/exports/${export_id}/parts/${part}?client=random`,
        )
        assert.equal(status, 200, JSON.stringify(body))
        for (const { payload_reference, status: result } of body.data ?? []) {
          planned.push(payload_reference)
          const reference = String(payload_reference)
          const isWithin = mayExport?.has(reference) && mayDownload?.has(reference)
          assert.equal(
            !String(result).endsWith('NotAuthorised'),
            isWithin,
            `${person.name} ${reference} ${result}`,
          )
          if (!isWithin) refused++
        }
      }
      assert.deepEqual(
        sorted(planned),
        sorted(expected.map(({ payload_reference }) => payload_reference)),
        person.name,
      )
      seen += expected.length
    }
    assert.ok(seen > 0, `only ${seen} payloads were compared`)
    assert.ok(refused > 0, 'no person was refused anything')
  })
}
