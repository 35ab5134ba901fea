import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { migrationFixture } from '../testing/access-fixture.ts'
import { carryOutMigration } from './engine.ts'
import { saveSettings } from './store.ts'

/** Milliseconds in which a run must end, also on a busy machine; its limit is ten minutes. */
const SOON = 60_000

describe('a migration that does not get on', () => {
  let fixture: Awaited<ReturnType<typeof migrationFixture>>
  let scanning: PromiseWithResolvers<void>
  before(async () => {
    // Reads a part of the first file and never answers.
    const scanner = {
      configured: true,
      async scan(source: AsyncIterable<Uint8Array>): Promise<never> {
        for await (const _ of source) break
        scanning.resolve()
        return new Promise<never>(() => {})
      },
      health: async () => {},
    }
    fixture = await migrationFixture({ scanner })
    await fixture.dropExample()
  })
  after(() => fixture?.close())
  beforeEach(() => {
    scanning = Promise.withResolvers()
  })

  const begin = async (signal = new AbortController().signal, overSeconds = 600) => {
    const reference = await fixture.start()
    const { ctx, account } = fixture
    const config = { ...ctx.config, migrations: { ...ctx.config.migrations, overSeconds } }
    const input = { ...account, migration_reference: reference }
    const work = carryOutMigration({ ...ctx, config }, input, signal)
    await scanning.promise
    return { reference, work }
  }
  const within = async <T>(work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>()
    const late = setTimeout(() => reject(new Error(`not over within ${SOON} ms`)), SOON)
    return Promise.race([work, promise]).finally(() => clearTimeout(late))
  }
  const settings = (disable_payloads: boolean) =>
    fixture.ctx.db.write(fixture.account.client_id, (tx) =>
      saveSettings(
        tx,
        { disable_onboarding: false, disable_offboarding: false, disable_payloads, erase_after_days: 30 },
        { now: fixture.ctx.now(), by: 'alice' },
      ),
    )
  const getMessage = async (reference: string) => {
    const { migration_state, error_message } = await fixture.read(reference)
    return [migration_state, error_message]
  }

  it('ends within seconds when the account shuts out what it imports', async () => {
    const { reference, work } = await begin()
    await settings(true)
    await within(work)
    assert.deepEqual(await getMessage(reference), ['Failed', 'the account switched on disable_payloads'])
    await settings(false)
  })

  it('ends when too little of it moves', async () => {
    const { reference, work } = await begin(undefined, 2)
    await within(work)
    const slow = 'less than 64 KiB per second over 2 seconds'
    assert.deepEqual(await getMessage(reference), ['Failed', slow])
  })

  it('ends when the object store does not answer, and a late answer stores no payload', async () => {
    const { ctx, account } = fixture
    const sources: AsyncIterable<Uint8Array>[] = []
    // The first file has two payloads; one of the later files has a message without media.
    let stored = 0
    const objects = {
      ...ctx.objects,
      put: (key: string, source: AsyncIterable<Uint8Array>) => {
        if (stored++ < 2) return ctx.objects.put(key, source)
        sources.push(source)
        return new Promise<never>(() => {})
      },
    }
    const scanner = { ...ctx.scanner, configured: false }
    const config = { ...ctx.config, migrations: { ...ctx.config.migrations, overSeconds: 2 } }
    const reference = await fixture.start()
    const input = { ...account, migration_reference: reference }
    await within(carryOutMigration({ ...ctx, objects, scanner, config }, input, new AbortController().signal))
    const slow = 'less than 64 KiB per second over 2 seconds'
    assert.equal((await getMessage(reference))[1], slow)
    assert.equal(sources.length, 3)
    for (const source of sources) {
      const late = async () => {
        for await (const _ of source);
      }
      await assert.rejects(late, { message: slow })
    }
  })

  it('is left to another process within seconds when its own stops', async () => {
    const stopped = new AbortController()
    const { reference, work } = await begin(stopped.signal)
    stopped.abort(new Error('the process stops'))
    await within(assert.rejects(work, /the process stops/))
    assert.deepEqual(await getMessage(reference), ['Pending', null])
  })
})
