import { isDataless } from '@custodia/contract'
import { noteSightings } from '../carriers/store.ts'
import type { House } from '../house.ts'
import { forgetAttempts } from './attempts.ts'
import { STATE_CODES } from './codes.ts'
import { examine } from './examine.ts'
import { ProcessingFailure } from './failures.ts'
import { commitFailure, commitMetadata, commitProcessed } from './process-commit.ts'
import { openMetadata } from './open-metadata.ts'
import { findSubject, type Subject } from './process-subject.ts'
import { moveState } from './move-state.ts'

/**
 * Brings one payload to rest: `Processed`, `Failed` or `Quarantined`; calls that were not recorded, whose metadata is all there is,
 * `NotRecorded` or `Failed`. Every step can be repeated, and nothing of an attempt counts before its commit. Throws when a part cannot
 * serve now.
 */
export async function processOne(
  house: House,
  client_id: number,
  payload_id: number,
  signal: AbortSignal,
): Promise<void> {
  const subject = await findSubject(house, client_id, payload_id)
  if (!subject) return
  if (!(await enterScanning(house, subject))) return
  try {
    if (isDataless(subject.payload_type)) await processMetadata(house, subject)
    else await processData(house, subject, signal)
  } catch (error) {
    if (!(error instanceof ProcessingFailure)) {
      await forgetAttempts(house, subject)
      throw error
    }
    await commitFailure(house, subject, error.code, await metadataIfAny(house, subject))
  }
}

async function processMetadata(house: House, subject: Subject): Promise<void> {
  await commitMetadata(house, subject, (await openAndNote(house, subject)).metadata)
}

/** True when the payload is `Scanning` now, also from an attempt that a crash ended. */
async function enterScanning(house: House, subject: Subject): Promise<boolean> {
  if (subject.state === STATE_CODES.Scanning) return true
  const { client_id, payload_id } = subject
  return house.db.write(client_id, (tx) =>
    moveState(tx, {
      client_id,
      payload_id,
      from: ['Uploaded'],
      to: 'Scanning',
      now: house.now(),
      by: 'worker',
    }),
  )
}

async function processData(house: House, subject: Subject, signal: AbortSignal): Promise<void> {
  const opened = await openAndNote(house, subject)
  const examined = await examine(house, subject, opened, signal)
  const is_committed = await commitProcessed(house, subject, opened.metadata, examined).catch(
    async (error: unknown) => {
      await examined.discard()
      throw error
    },
  )
  // Another attempt was faster; what this one made is nobody's.
  if (!is_committed) await examined.discard()
}

/** Opens the metadata, which names the carriers through which the phone recorded. */
async function openAndNote(house: House, subject: Subject) {
  const opened = await openMetadata(house, subject)
  await noteSightings(house, subject.client_id, opened.metadata)
  return opened
}

/** What failed may still have metadata that opens: then people see at least whose call it was. */
async function metadataIfAny(house: House, subject: Subject) {
  try {
    return (await openMetadata(house, subject)).metadata
  } catch (error) {
    if (error instanceof ProcessingFailure) return undefined
    throw error
  }
}
