import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { folderStore, memoryStore, openPhone, type Phone, type PhoneEvent } from '@custodia/device-sdk'
import { carriedPhone, type DemoAccount, smallRecording } from '@custodia/simulator'

/** What a phone saw of one of its payloads. */
export interface Sent {
  account_reference: string
  checksum: string
  size: number
  /** The server answered the upload with 200, or said that it has the data. */
  isAcknowledged: boolean
  /** The server said `processed`, and the phone's copy is gone. */
  isFreed: boolean
  isRefused: boolean
  /** The server acknowledged it, and later did not know it. */
  isForgotten: boolean
  /** How often the server said that it could not use what was sent. */
  failures: number
}

export interface PhoneFleet {
  sent: Map<string, Sent>
  /** Payloads that are not handed over yet. */
  waiting(): number
  /** Stops recording, and goes on sending until nothing waits or `seconds` are over. Resolves to how many still wait. */
  drain(seconds: number): Promise<number>
}

/** Milliseconds between two recordings of one phone, on average. */
const RECORD_EVERY = 400
const RETRY = { tries: 2, firstPauseMs: 100, longestPauseMs: 500 }

/** Starts `count` phones that record and send small payloads without end; every second one keeps its queue in a folder. */
export async function startFleet(
  serverUrl: string,
  accounts: readonly DemoAccount[],
  count: number,
  folder: string,
): Promise<PhoneFleet> {
  const people = accounts.flatMap((account) => account.people.map((person) => ({ account, person })))
  const fleet: { phone: Phone; loops: Promise<void>[] }[] = []
  const sent = new Map<string, Sent>()
  let isRecording = true

  async function startPhone(i: number): Promise<void> {
    const { account, person } = people[(i * 5) % people.length] as (typeof people)[number]
    const carried = carriedPhone(person, i)
    const phone: Phone = await openPhone({
      enrolment: { server_url: serverUrl, ...account },
      identity: carried.identity,
      store: i % 2 === 0 ? await folderStore(join(folder, String(i))) : memoryStore(),
      retry: RETRY,
      onEvent: (event) => note(sent, account.account_reference, phone, event),
    })
    await phone.key()
    const record = async () => {
      while (isRecording) {
        await phone.record(smallRecording(carried, Math.floor(Date.now() / 1000)))
        await pause(RECORD_EVERY * (0.5 + Math.random()))
      }
    }
    const send = async () => {
      while (isRecording) {
        await phone.sync({ patience: 2 }).catch(() => undefined)
        await pause(50)
      }
    }
    fleet.push({ phone, loops: [record(), send()] })
  }

  await Promise.all(Array.from({ length: count }, (_, i) => startPhone(i)))
  return {
    sent,
    waiting: () => fleet.reduce((sum, { phone }) => sum + phone.queue().length, 0),
    async drain(seconds) {
      isRecording = false
      await Promise.all(fleet.flatMap(({ loops }) => loops))
      const reports = await Promise.all(fleet.map(({ phone }) => phone.sync({ patience: seconds })))
      return reports.reduce((sum, { waiting }) => sum + waiting, 0)
    },
  }
}

function note(
  sent: Map<string, Sent>,
  account_reference: string,
  phone: Phone,
  { type, payload_reference }: PhoneEvent,
): void {
  const known = sent.get(payload_reference)
  if (!known) {
    const entry = phone.queue().find((each) => each.announcement.payload_reference === payload_reference)
    const { checksum = '', size = 0 } = entry?.announcement ?? {}
    const flags = { isAcknowledged: false, isFreed: false, isRefused: false, isForgotten: false, failures: 0 }
    sent.set(payload_reference, { account_reference, checksum, size, ...flags })
  } else if (type === 'queued') known.isForgotten ||= known.isAcknowledged
  else if (type === 'uploaded') known.isAcknowledged = true
  else if (type === 'freed') known.isFreed = true
  else if (type === 'refused') known.isRefused = true
  else if (type === 'failed') known.failures += 1
}
