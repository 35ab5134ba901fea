/**
 * Devices in a separate process that may be killed at any time. Each keeps its queue in a folder and resumes after a
 * restart. Prints events line by line for its parent.
 */
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { folderStore, openPhone, type Phone, type PhoneEvent } from '@custodia/device-sdk'
import { carriedPhone, type DemoAccount, smallRecording } from '@custodia/simulator'

/** Start options, as JSON in the first argument. */
export interface PhoneOrders {
  server_url: string
  accounts: DemoAccount[]
  /** Devices by number; a number always means the same device. */
  phones: number[]
  folder: string
}

export type PhoneLine =
  /** Before recording: the process may die before it stores the payload. */
  | { line: 'saying'; payload_reference: string; account_reference: string; meta: object; sha256: string }
  /** The device has stored the payload: it must not be lost. */
  | { line: 'said'; payload_reference: string }
  | { line: 'event'; payload_reference: string; type: PhoneEvent['type'] }
  /** Recording has ended; lists pending and rejected payloads. */
  | { line: 'drained'; waiting: string[] }

/** Mean milliseconds between recordings of one device. */
const RECORD_EVERY = 400
const RETRY = { tries: 2, firstPauseMs: 100, longestPauseMs: 500 }

const orders = JSON.parse(process.argv[2] ?? '') as PhoneOrders
// Synchronous: the line is in the pipe before the next step.
const notify = (line: PhoneLine) => writeSync(1, `${JSON.stringify(line)}\n`)
let isRecording = true
const phones = await Promise.all(orders.phones.map(startPhone))

/** The parent sends `drain <seconds>`. */
for await (const order of createInterface({ input: process.stdin })) {
  const [, seconds] = /^drain (\d+)$/.exec(order) ?? []
  if (seconds === undefined) continue
  isRecording = false
  await Promise.all(phones.flatMap(({ loops }) => loops))
  await Promise.all(
    phones.map(({ phone }) => phone.sync({ patience: Number(seconds) }).catch(() => undefined)),
  )
  const left = phones.flatMap(({ phone }) => phone.queue())
  notify({ line: 'drained', waiting: left.map((each) => each.announcement.payload_reference) })
  // Its open input would keep it alive.
  process.exit(0)
}

async function hasKey(phone: Phone): Promise<boolean> {
  return phone.key().then(
    () => true,
    () => false,
  )
}

async function startPhone(i: number) {
  const people = orders.accounts.flatMap((account) => account.people.map((person) => ({ account, person })))
  const { account, person } = people[(i * 5) % people.length] as (typeof people)[number]
  const carried = carriedPhone(person, i)
  const phone = await openPhone({
    enrolment: { server_url: orders.server_url, ...account },
    identity: carried.identity,
    store: await folderStore(join(orders.folder, String(i))),
    retry: RETRY,
    onEvent: ({ type, payload_reference }) => notify({ line: 'event', payload_reference, type }),
  })
  const record = async () => {
    // A device can store nothing before it has the account's public key.
    while (isRecording && !(await hasKey(phone))) await pause(200)
    while (isRecording) {
      const recording = smallRecording(carried, Math.floor(Date.now() / 1000))
      const { meta, data } = recording
      const hash = createHash('sha256')
      for await (const chunk of data?.() ?? []) hash.update(chunk)
      const { payload_reference } = meta
      const { account_reference } = account
      notify({ line: 'saying', payload_reference, account_reference, meta, sha256: hash.digest('hex') })
      await phone.record(recording)
      notify({ line: 'said', payload_reference })
      await pause(RECORD_EVERY * (0.5 + Math.random()))
    }
  }
  const send = async () => {
    while (isRecording) {
      await phone.sync({ patience: 2 }).catch(() => undefined)
      await pause(50)
    }
  }
  return { phone, loops: [record(), send()] }
}
