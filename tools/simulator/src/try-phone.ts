import { COMMAND_WAIT_SECONDS, type CommandName } from '@custodia/contract'
import {
  folderStore,
  openPhone,
  type Phone,
  type Recording,
  type SecretEnrolment,
} from '@custodia/device-sdk'
import { ulid } from 'ulid'
import { callRecording, CONTACTS, diagnosticsRecording, messageRecording, pictureRecording } from './calls.ts'
import { type CarriedPhone, carriedPhone } from './carried-phone.ts'
import { chance } from './itinerary.ts'
import { type DemoPerson, MEDIA_FOLDER, openMedia, recordedFile } from './media.ts'

/** Distinguishes the phone of a first try from the demo's own. */
const SPARE = 99
/** Maximum wait for the server's checks, in seconds. */
const PATIENCE = 120

/** Recording of a first try. */
export const TRIES = ['call', 'message', 'video', 'diagnostics'] as const
export type Try = (typeof TRIES)[number]

export interface TryOptions {
  server_url: string
  /** Code of the demo's roll-out, or one from the portal. */
  account: Pick<SecretEnrolment, 'account_reference' | 'enrolment'>
  /** Claimed holder; null: the enrolment decides. */
  person: DemoPerson | null
  what: Try
  text?: string | undefined
  /** The user's own file instead of the sample: path and note. */
  file?: { path: string; title: string; seconds: number } | undefined
  /** Epoch seconds. */
  now: number
  /** Folder of the queue: a failed upload is sent with the next try. */
  folder: string
  say: (step: string) => void
}

/**
 * Records one call, message, video or diagnostics bundle on a separate device, uploads it and returns its reference.
 * Throws when the server rejects it.
 */
export async function tryPhone(options: TryOptions): Promise<string> {
  const { phone, carried, stated } = await openTry(options)
  options.say(stated)
  const recording = await getRecording(carried, options, options.now)
  await phone.record(recording)
  const { waiting } = await phone.sync({ patience: PATIENCE })
  const { payload_reference } = recording.meta
  const [answer] = await phone.status([payload_reference])
  if (answer?.status !== 'processed')
    throw new Error(
      `the server says ${answer?.status ?? 'nothing'} of ${payload_reference}; ${waiting} in the queue`,
    )
  return payload_reference
}

/** Opens and authenticates the device, and reports its facts. */
async function openTry({
  server_url,
  account,
  person,
  folder,
  say,
}: Omit<TryOptions, 'what' | 'text' | 'now'>) {
  const carried = person ? carriedPhone(person, SPARE) : unclaimedPhone(account)
  const phone = await openPhone({
    enrolment: { server_url, ...account },
    identity: carried.identity,
    store: await folderStore(folder),
    onEvent: ({ type, payload_reference }) => say(`  ${type} ${payload_reference ?? ''}`.trimEnd()),
  })
  const { install_state, device_reference } = await phone.authenticate()
  const whose = person ? ` of ${person.first_name} ${person.surname}` : ''
  const stated = `  ${carried.identity.model}${whose}, device ${device_reference}: ${install_state}`
  return { phone, carried, stated }
}

/** A device without a claimed holder; a different one per enrolment. */
function unclaimedPhone({ enrolment }: TryOptions['account']): CarriedPhone {
  const [reference] = enrolment.split('.')
  const carried = carriedPhone({ ...UNKNOWN_HOLDER, email: `${reference}@phones.example` })
  return { ...carried, identity: { ...carried.identity, email: null } }
}

const UNKNOWN_HOLDER: DemoPerson = {
  email: '',
  first_name: '',
  surname: '',
  group: '',
  // A number that Ofcom reserves for fiction.
  phone_number: '+447700900199',
  locale: 'en-GB',
}

async function getRecording(
  phone: CarriedPhone,
  { what, text, file }: TryOptions,
  now: number,
): Promise<Recording> {
  const payload_reference = ulid()
  const dice = chance(payload_reference)
  const { locale } = phone.person
  const contact = dice.pick(CONTACTS[locale])
  if (what === 'message')
    return messageRecording(phone, {
      payload_type: 'SMS',
      payload_reference,
      payload_time: now,
      direction: 'O',
      contact,
      text: text ?? `A first try, ${new Date(now * 1000).toISOString()}`,
    })
  const media = file
    ? await recordedFile(file)
    : (await openMedia(MEDIA_FOLDER)).pick(what, locale, dice.between(0, 20))
  const moment = { payload_reference, payload_time: now - media.seconds }
  if (what === 'video') return pictureRecording(phone, 'Video', moment, media)
  if (what === 'diagnostics') return diagnosticsRecording(phone, moment, media.title, media.open)
  return callRecording(phone, { payload_reference, payload_time: now - media.seconds, dice }, media, [
    contact,
  ])
}

/** Stays online as a person's device until `signal`: uploads its queue, records diagnostics, and simulates all other commands. */
export async function stayOnline(
  options: Omit<TryOptions, 'what' | 'text' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  const { say } = options
  const { phone, stated } = await openTry(options)
  say(`${stated}, online`)
  while (!signal.aborted) {
    for (const { command, command_reference, state } of await phone.commands({
      wait: COMMAND_WAIT_SECONDS,
    })) {
      if (state === 'Sent') await phone.report(command_reference, 'Acknowledged')
      const done = await obey(phone, command)
      say(`  ${command}: ${await phone.report(command_reference, 'Completed', done)}`)
    }
  }
}

async function obey(phone: Phone, command: CommandName): Promise<string> {
  if (command !== 'sync_data') return 'This phone only pretends.'
  const { freed, waiting, refused } = await phone.sync({ patience: PATIENCE })
  return `${freed} handed over, ${waiting} waiting, ${refused} refused`
}
