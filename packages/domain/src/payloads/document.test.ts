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

describe('payload document', () => {
  it('of a call', () => {
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
  it('of a conference names three parties and counts all; the measured duration wins', () => {
    const { parties, party_count, duration } = payloadDocument(metas.conferenceMeta)
    assert.deepEqual(
      parties?.map((party) => party.phone_number),
      ['+441', null, ' +442 '],
    )
    assert.deepEqual([party_count, duration], [5, 63])
  })
  it('of a blocked call may have no party', () => {
    const { parties, party_count, direction, duration } = payloadDocument(metas.blockedCallMeta)
    assert.deepEqual([parties, party_count, direction, duration], [[], 0, undefined, 0])
  })
  it('of a message has its own direction, in both forms', () => {
    const { direction, length, thread_id, duration } = payloadDocument(metas.messageMeta)
    assert.deepEqual([direction, length, thread_id, duration], ['I', 42, 'thread-1', undefined])
    const older = payloadDocument(metas.olderMessageMeta)
    assert.deepEqual(older.parties, [{ phone_number: '50123', contact_name: 'Bank' }])
    assert.equal(older.length, 0)
  })
  it('of an interview leaves pauses out of the duration', () => {
    assert.equal(payloadDocument(metas.interviewMeta).duration, 540)
  })
  it('of a photo has no parties', () => {
    const { parties, party_count } = payloadDocument(metas.photoMeta)
    assert.deepEqual([parties, party_count], [undefined, undefined])
  })
  it('holds nothing that is to stay sealed: notes, reasons, positions, devices, carriers', () => {
    const shown = [
      'duration',
      'direction',
      'parties',
      'party_count',
      'timezone',
      'timezone_offset',
      'local_time',
      'doubts',
      'thread_id',
      'length',
    ]
    for (const meta of Object.values(metas))
      assert.deepEqual(
        Object.keys(payloadDocument(meta)).filter((field) => !shown.includes(field)),
        [],
      )
  })
  it('never has a negative duration, whatever the phone’s clock did', () => {
    assert.equal(payloadDocument({ ...metas.callMeta, payload_end_time: 1 }).duration, 0)
  })
  it('is what the contract declares and survives JSON', () => {
    for (const meta of Object.values(metas)) {
      const document = payloadDocument(meta)
      assert.deepEqual(PayloadDocument.parse(JSON.parse(JSON.stringify(document))), document)
    }
  })
  it('is tested with metadata that phones may send', () => {
    for (const schema of [CallMeta, AbortedCallMeta]) schema.parse(metas.callMeta)
    CallMeta.parse(metas.conferenceMeta)
    BlockedCallMeta.parse(metas.blockedCallMeta)
    MessageMeta.parse(metas.messageMeta)
    MessageMeta.parse(metas.olderMessageMeta)
    InterviewMeta.parse(metas.interviewMeta)
    PAYLOAD_META.Photo.parse(metas.photoMeta)
  })
})
