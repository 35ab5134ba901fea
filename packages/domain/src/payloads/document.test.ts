import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AbortedCallMeta,
  BlockedCallMeta,
  CallMeta,
  InterviewMeta,
  MessageMeta,
  PAYLOAD_META,
  PayloadDocument,
} from '@custodia/contract'
import { payloadDocument } from './document.ts'
import * as metas from './metas.test-support.ts'

describe('the payload document', () => {
  it('has the fields of a call', () => {
    const document = payloadDocument(metas.callMeta)
    assert.deepEqual(document, {
      duration: 65,
      direction: 'O',
      parties: [{ phone_number: '+442071234567', contact_name: 'Fiona Doyle', direction: 'O' }],
      party_count: 1,
      timezone: 'Europe/Dublin',
      timezone_offset: 60,
      local_time: '2026-09-21T14:13:20',
    })
    assert.ok(JSON.stringify(document).length < 300)
  })
  it('names three parties of a conference, counts all and uses the measured duration', () => {
    const { parties, party_count, duration } = payloadDocument(metas.conferenceMeta)
    assert.deepEqual(
      parties?.map((party) => party.phone_number),
      ['+441', null, ' +442 '],
    )
    assert.deepEqual([party_count, duration], [5, 63])
  })
  it('may have no party for a blocked call', () => {
    const { parties, party_count, direction, duration } = payloadDocument(metas.blockedCallMeta)
    assert.deepEqual([parties, party_count, direction, duration], [[], 0, undefined, 0])
  })
  it('has direction and length of a message in both forms', () => {
    const { direction, length, thread_id, duration } = payloadDocument(metas.messageMeta)
    assert.deepEqual([direction, length, thread_id, duration], ['I', 42, 'thread-1', undefined])
    const older = payloadDocument(metas.olderMessageMeta)
    assert.deepEqual(older.parties, [{ phone_number: '50123', contact_name: 'Bank' }])
    assert.equal(older.length, 0)
  })
  it('excludes pauses from the duration of an interview', () => {
    assert.equal(payloadDocument(metas.interviewMeta).duration, 540)
  })
  it('has no parties for a photo', () => {
    const { parties, party_count } = payloadDocument(metas.photoMeta)
    assert.deepEqual([parties, party_count], [undefined, undefined])
  })
  it('holds no notes, reasons, positions, devices or carriers', () => {
    const shown = [
      'duration',
      'direction',
      'parties',
      'party_count',
      'timezone',
      'timezone_offset',
      'local_time',
      'time_warnings',
      'thread_id',
      'length',
    ]
    for (const meta of Object.values(metas))
      assert.deepEqual(
        Object.keys(payloadDocument(meta)).filter((field) => !shown.includes(field)),
        [],
      )
  })
  it('never has a negative duration', () => {
    assert.equal(payloadDocument({ ...metas.callMeta, payload_end_time: 1 }).duration, 0)
  })
  it('matches the contract schema and survives JSON', () => {
    for (const meta of Object.values(metas)) {
      const document = payloadDocument(meta)
      assert.deepEqual(PayloadDocument.parse(JSON.parse(JSON.stringify(document))), document)
    }
  })
  it('is tested with valid device metadata', () => {
    for (const schema of [CallMeta, AbortedCallMeta]) schema.parse(metas.callMeta)
    CallMeta.parse(metas.conferenceMeta)
    BlockedCallMeta.parse(metas.blockedCallMeta)
    MessageMeta.parse(metas.messageMeta)
    MessageMeta.parse(metas.olderMessageMeta)
    InterviewMeta.parse(metas.interviewMeta)
    PAYLOAD_META.Photo.parse(metas.photoMeta)
  })
})
