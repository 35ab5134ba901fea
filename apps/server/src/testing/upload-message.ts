import assert from 'node:assert/strict'
import { memoryStore, openPhone, readEnrolment } from '@custodia/device-sdk'
import { messageOf, recordingOf } from './phones.ts'

/** Enrols a new device with the text of an enrolment, uploads one message, and waits until the server has stored it. */
export async function uploadMessage(enrolment: string): Promise<void> {
  const phone = await openPhone({
    enrolment: readEnrolment(enrolment),
    identity: {
      model: 'Pretend 1',
      os_version: '16',
      app_version: '4.12.0',
      installation_id: 'the first',
      phone_numbers: ['+447700900150'],
      imeis: [],
      email: null,
    },
    store: memoryStore(),
  })
  await phone.record(recordingOf('SMS', messageOf('The first message')).recording)
  assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
}
