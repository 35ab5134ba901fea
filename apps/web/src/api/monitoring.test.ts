import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMonitoring } from './monitoring.ts'

const NAMED = {
  portal_config: {
    monitoring_config: '{"sessionSampleRate":0.5}',
    monitoring_application_id: 'id',
    monitoring_region: 'eu-west-2',
  },
}

/** A host that records its calls. */
function watched(fails = false) {
  const [started, errors]: [unknown[], string[]] = [[], []]
  const start = makeMonitoring({
    start: async (...asked) => {
      started.push(asked)
      if (fails) throw new Error('no')
    },
    error: (message) => void errors.push(message),
  })
  return { start, started, errors }
}

test('monitoring starts once, with the settings of the profile', async () => {
  const { start, started, errors } = watched()
  await start({ portal_config: {} })
  await Promise.all([start(NAMED), start(NAMED)])
  await start(NAMED)
  assert.deepEqual(started, [['id', 'eu-west-2', { sessionSampleRate: 0.5 }]])
  assert.deepEqual(errors, [])
})

test('a failed start logs one console error and is not retried', async () => {
  for (const profile of [NAMED, { portal_config: { ...NAMED.portal_config, monitoring_config: '{' } }]) {
    const { start, errors } = watched(profile === NAMED)
    await start(profile)
    await start(profile)
    assert.deepEqual(errors, ['Monitoring could not be started'])
  }
})
