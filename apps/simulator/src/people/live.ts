import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore, openPhone, type Phone } from '@custodia/device-sdk'
import { type CarriedPhone, carriedPhone } from '../carried-phone.ts'
import { chance, namedReference } from '../chance.ts'
import type { DemoAccount, DemoPerson } from '../demo-account.ts'
import { enrolmentOf, phoneFolder } from '../phone-folder.ts'
import type { Media } from '../media.ts'
import { uploadedAgain } from '../messages.ts'
import { demoTrack } from '../demo-track.ts'
import { telemetryAt } from '../demo-telemetry.ts'
import { logOf } from './logged.ts'
import { type Act, lifeOf } from './life.ts'
import { quietOf } from './quiet-people.ts'
import { recordedBy } from './recorded.ts'

export interface LiveOptions {
  /** Origin of the server. */
  serverUrl: string
  account: DemoAccount
  person: DemoPerson
  media: Media
  /** Where the phones of the fleet keep what is theirs. */
  phonesFolder: string
  /** Epoch seconds: since when, of a phone that has not lived yet, and until when. */
  from: number
  until: number
  /** What happens; absent: what this person's life is. */
  acts?: readonly Act[]
  /** Seconds that it waits for the server's checks. */
  patience?: number
}

/** What has become of a phone so far; stands beside its queue. */
interface Lived {
  until: number
  /** When it is back from where there is no network. */
  offline_until: number
  phone_number: string
  /** Whose address it says. */
  email: string
  /** Until when it has told where it was. */
  located_until: number
  /** Times of the messages that it still has, the newest of them. */
  messages: number[]
  /** How often it was reset: each time it is a new installation, and what it kept is gone. */
  resets: number
}

/** Reasons for which phones cannot do as they are told, by turns. */
const REASONS = [
  'The battery is too low.',
  'Another app holds the microphone.',
  'Not permitted on this phone.',
]
const FAILS = 0.15
/** Messages that a phone still has. */
const KEPT_MESSAGES = 50
/** Of what happened while nothing ran, no more is lived than this. */
const MOST_SECONDS = 3 * 86_400

/**
 * Lets the phone of a person go on from where it stopped: it records, is without network, gets another SIM, is reset or given away, and obeys
 * most of what it is told. Whatever it recorded while it was away it hands over when it is back, be it in a later call. A phone that has
 * fallen silent does nothing, or is merely seen.
 */
export async function liveOn(options: LiveOptions): Promise<void> {
  const { account, person, until } = options
  const folder = phoneFolder(options.phonesFolder, account, person.email)
  const before = await readLived(folder)
  const lived = before ?? {
    until: options.from,
    offline_until: 0,
    phone_number: person.phone_number,
    email: person.email,
    located_until: options.from,
    messages: [],
    resets: 0,
  }
  const from = before ? Math.max(before.until, until - MOST_SECONDS) : options.from
  const quiet = quietOf(person)
  if (quiet && !quiet.isAlive) return
  const acts = quiet ? [] : (options.acts ?? lifeOf(account, person, from, until))
  for (const act of acts) await happen(options, folder, lived, act)
  lived.until = Math.max(lived.until, until)
  if (lived.offline_until <= until) await comeBack(options, folder, lived)
  await writeLived(folder, lived)
}

async function happen(options: LiveOptions, folder: string, lived: Lived, act: Act): Promise<void> {
  const isAway = act.at < lived.offline_until
  if (act.kind === 'offline') {
    if (!isAway) await comeBack(options, folder, lived)
    lived.offline_until = Math.max(lived.offline_until, act.until)
  } else if (act.kind === 'record') {
    const { phone, carried } = await open(options, folder, lived)
    await phone.record(recordedBy(carried, options.account, act, options.media))
    await phone.keepLogs([logOf(carried, options.account, act)])
    if (act.what === 'message') lived.messages = [...lived.messages, act.at].slice(-KEPT_MESSAGES)
  } else if (!isAway) {
    // Somebody who is to lose what the phone keeps hands it over before.
    await comeBack(options, folder, lived)
    if (act.kind === 'sim') lived.phone_number = act.phone_number
    else if (act.kind === 'reset') Object.assign(lived, { resets: lived.resets + 1, messages: [] })
    else lived.email = act.to.email
    const { phone } = await open(options, folder, lived)
    await phone.authenticate()
  }
  lived.until = act.at + 1
  await writeLived(folder, lived)
}

interface Opened {
  phone: Phone
  carried: CarriedPhone
}

async function open(
  { serverUrl, account, person }: LiveOptions,
  folder: string,
  lived: Lived,
): Promise<Opened> {
  const { identity, ...carried } = carriedPhone(person)
  const { resets, phone_number, email } = lived
  const store = await folderStore(resets === 0 ? folder : join(folder, `reset-${resets}`))
  const phone = await openPhone({
    // After a reset the person's code is used.
    enrolment: enrolmentOf(serverUrl, account, resets === 0 ? person : { ...person, enrolment: undefined }),
    identity: {
      ...identity,
      phone_numbers: [phone_number],
      email,
      installation_id:
        resets === 0 ? (identity.installation_id ?? null) : `${identity.installation_id}-${resets}`,
    },
    store,
  })
  return { phone, carried: { ...carried, identity } }
}

/** Hands over what it has, and does what it was told meanwhile. */
async function comeBack(options: LiveOptions, folder: string, lived: Lived): Promise<void> {
  const { patience = 120 } = options
  const opened = await open(options, folder, lived)
  const { phone } = opened
  await phone.authenticate()
  await phone.sync({ patience })
  await reportOn(options, opened, lived)
  for (const result of await phone.commands()) {
    const { command_reference } = result
    const dice = chance(command_reference)
    if (dice.next() < FAILS) {
      await phone.report(command_reference, 'Failed', dice.pick(REASONS))
      continue
    }
    if (result.command === 'reupload_sms_messages')
      for (const at of lived.messages.filter((each) => isWithin(result.params, each)))
        await phone.record(
          uploadedAgain(
            recordedBy(
              opened.carried,
              options.account,
              { at, kind: 'record', what: 'message' },
              options.media,
            ),
            namedReference(`${command_reference} ${at}`),
          ),
        )
    await phone.sync({ patience })
    await phone.report(command_reference, 'Completed')
  }
}

/** Hands over what it logged, and says how it is and where it has been since it last did; what is over a quota waits for its turn. */
async function reportOn(
  { account: { account_reference } }: LiveOptions,
  { phone, carried }: Opened,
  lived: Lived,
): Promise<void> {
  const at = lived.until
  await phone.handOverLogs()
  await phone.telemetry([telemetryAt(account_reference, carried, at, phone.queue().length)])
  const track = demoTrack(account_reference, carried, at)
  await phone.locate(track.filter(({ timestamp }) => timestamp > lived.located_until))
  lived.located_until = at
}

const isWithin = ({ from = 0, to = Infinity }: { from?: number; to?: number }, at: number) =>
  at >= from && at < to

const fileIn = (folder: string) => join(folder, 'lived.json')

async function readLived(folder: string): Promise<Lived | undefined> {
  const text = await readFile(fileIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : ({ messages: [], located_until: 0, ...JSON.parse(text) } as Lived)
}

async function writeLived(folder: string, lived: Lived): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${fileIn(folder)}.part`, JSON.stringify(lived), { mode: 0o600 })
  await rename(`${fileIn(folder)}.part`, fileIn(folder))
}
