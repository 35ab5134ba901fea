import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogEntry, LogLevel } from '@custodia/contract'
import { folderStore, openPhone, type Phone, type Recording } from '@custodia/device-sdk'
import {
  abortedCall,
  blockedCall,
  callRecording,
  CONTACTS,
  interviewRecording,
  messageRecording,
  pictureRecording,
  uploadedAgain,
} from '../calls.ts'
import { type CarriedPhone, carriedPhone, getEnrolment, phoneFolder } from '../carried-phone.ts'
import { SHORT_TEXTS } from '../conversations.ts'
import { demoTrack, telemetryAt } from '../demo-telemetry.ts'
import { chance, namedReference } from '../itinerary.ts'
import { type DemoAccount, type DemoPerson, type Media, MEDIA_FOLDER, openMedia } from '../media.ts'
import { type Act, getLife } from './life.ts'
import { getQuietPerson } from './quiet-people.ts'

const LINES: readonly (readonly [log_level: LogLevel, log_class: string, log_message: string])[] = [
  ['INFO', 'Recorder', 'recorded, and in the queue'],
  ['INFO', 'Recorder', 'recorded, and in the queue'],
  ['DEBUG', 'Network', 'Wi-Fi lost, on mobile data'],
  ['WARN', 'Battery', 'battery saver is on: uploads wait for power'],
]

/** Log entry of a recording, with a deterministic name and text. */
function getLog(
  { person, timezone }: CarriedPhone,
  { account_reference }: DemoAccount,
  { at }: Act,
): LogEntry {
  const named = `${account_reference} life log ${person.email} ${at}`
  const [log_level, log_class, log_message] = chance(named).pick(LINES)
  return {
    log_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
    log_level,
    log_class,
    log_datetime: at,
    local_timezone: timezone,
    log_message,
  }
}

export interface LiveOptions {
  serverUrl: string
  account: DemoAccount
  person: DemoPerson
  media: Media
  /** Folder of the fleet's device data. */
  phonesFolder: string
  /** Period in epoch seconds; the start applies to a device without state. */
  from: number
  until: number
  /** Events; absent: the person's own. */
  acts?: readonly Act[]
  /** Maximum wait for the server's checks, in seconds. */
  patience?: number
}

/** State of a device, stored next to its queue. */
interface LiveState {
  until: number
  /** End of the offline period. */
  offline_until: number
  phone_number: string
  /** E-mail address of its holder. */
  email: string
  /** Time of the last reported position. */
  located_until: number
  /** Times of stored messages, newest last. */
  messages: number[]
  /** Number of resets: each is a new installation without old data. */
  resets: number
}

/** Reasons of failed commands, in turn. */
const REASONS = [
  'The battery is too low.',
  'Another app holds the microphone.',
  'Not permitted on this phone.',
]
const FAILS = 0.15
/** Maximum messages that a device keeps. */
const KEPT_MESSAGES = 50
/** Maximum catch-up time after a pause of the simulation. */
const MAX_SECONDS = 3 * 86_400

/**
 * Continues the simulation of a person's device: recordings, offline periods, SIM changes, resets, new holders and
 * commands. Offline recordings upload on reconnect, also in a later call. A silent device does nothing, or only
 * connects.
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
  const from = before ? Math.max(before.until, until - MAX_SECONDS) : options.from
  const quiet = getQuietPerson(person)
  if (quiet && !quiet.isAlive) return
  const acts = quiet ? [] : (options.acts ?? getLife(account, person, from, until))
  for (const act of acts) await happen(options, folder, lived, act)
  lived.until = Math.max(lived.until, until)
  if (lived.offline_until <= until) await comeBack(options, folder, lived)
  await writeLived(folder, lived)
}

async function happen(options: LiveOptions, folder: string, lived: LiveState, act: Act): Promise<void> {
  const isAway = act.at < lived.offline_until
  if (act.kind === 'offline') {
    if (!isAway) await comeBack(options, folder, lived)
    lived.offline_until = Math.max(lived.offline_until, act.until)
  } else if (act.kind === 'record') {
    const { phone, carried } = await open(options, folder, lived)
    await phone.record(recordedBy(carried, options.account, act, options.media))
    await phone.keepLogs([getLog(carried, options.account, act)])
    if (act.what === 'message') lived.messages = [...lived.messages, act.at].slice(-KEPT_MESSAGES)
  } else if (!isAway) {
    // The device uploads its queue before a reset or new holder clears it.
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

interface OpenedPhone {
  phone: Phone
  carried: CarriedPhone
}

async function open(
  { serverUrl, account, person }: LiveOptions,
  folder: string,
  lived: LiveState,
): Promise<OpenedPhone> {
  const { identity, ...carried } = carriedPhone(person)
  const { resets, phone_number, email } = lived
  const store = await folderStore(resets === 0 ? folder : join(folder, `reset-${resets}`))
  const phone = await openPhone({
    // After a reset the device uses the person's code.
    enrolment: getEnrolment(serverUrl, account, resets === 0 ? person : { ...person, enrolment: undefined }),
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

/** Uploads the queue and executes commands. */
async function comeBack(options: LiveOptions, folder: string, lived: LiveState): Promise<void> {
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

/** Uploads logs, telemetry and positions since the last time; items over a quota wait. */
async function reportOn(
  { account: { account_reference } }: LiveOptions,
  { phone, carried }: OpenedPhone,
  lived: LiveState,
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

async function readLived(folder: string): Promise<LiveState | undefined> {
  const text = await readFile(fileIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined
    ? undefined
    : ({ messages: [], located_until: 0, ...JSON.parse(text) } as LiveState)
}

async function writeLived(folder: string, lived: LiveState): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${fileIn(folder)}.part`, JSON.stringify(lived), { mode: 0o600 })
  await rename(`${fileIn(folder)}.part`, fileIn(folder))
}

/** A recording of a person at a time; its reference depends on both only. */
function recordedBy(
  phone: CarriedPhone,
  { account_reference }: DemoAccount,
  { at, what }: Extract<Act, { kind: 'record' }>,
  media: Media,
): Recording {
  const { locale, email } = phone.person
  const payload_reference = namedReference(`${account_reference} life ${email} ${at}`)
  const dice = chance(payload_reference)
  const moment = { payload_reference, payload_time: at, dice, turn: dice.between(0, 50) }
  const contact = dice.pick(CONTACTS[locale])
  const pick = (kind: Parameters<Media['pick']>[0]) => media.pick(kind, locale, moment.turn)
  switch (what) {
    case 'message':
      return messageRecording(phone, {
        ...moment,
        payload_type: 'SMS',
        direction: dice.pick(['I', 'O'] as const),
        contact,
        text: dice.pick(SHORT_TEXTS),
      })
    case 'call':
      return callRecording(phone, moment, pick('call'), [contact], dice.next() < 0.05)
    case 'conference':
      return callRecording(phone, moment, pick('call'), CONTACTS[locale].slice(0, dice.between(2, 4)))
    case 'aborted':
      return abortedCall(phone, moment, contact)
    case 'blocked':
      return blockedCall(phone, moment, contact)
    case 'photo':
      return pictureRecording(phone, 'Photo', moment, pick('photo'))
    case 'interview':
      return interviewRecording(phone, moment, pick('interview'))
  }
}

/** Simulates the people of these accounts one after another, to keep the server responsive. */
export async function liveAll({
  enrolments,
  ...options
}: Omit<LiveOptions, 'account' | 'person' | 'media'> & {
  enrolments: readonly DemoAccount[]
}): Promise<void> {
  const media = await openMedia(MEDIA_FOLDER)
  for (const account of enrolments)
    for (const person of account.people) await liveOn({ ...options, account, person, media })
}
