import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SecretEnrolment } from '@custodia/device-sdk'

/** A person with a phone of the simulated fleet. */
export interface DemoPerson {
  email: string
  first_name: string
  surname: string
  group: string
  /** With country code. */
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
  /** Reference and secret of the person's enrolment; without one the device uses the roll-out's code. */
  enrolment?: string | undefined
}

/** An account with its people and roll-out code, as in the demo's `demo/enrolments.json`. */
export interface DemoAccount extends Omit<SecretEnrolment, 'server_url' | 'account_key'> {
  people: readonly DemoPerson[]
}

/** Accounts of a demo with enrolments of devices. */
export const demoAccounts = async (dataDir: string): Promise<DemoAccount[]> =>
  JSON.parse(await readFile(join(dataDir, 'demo', 'enrolments.json'), 'utf8')) as DemoAccount[]

/** The first demo person with this property, and the account. */
export async function findDemoPerson(
  dataDir: string,
  isWanted: (person: DemoPerson) => boolean,
): Promise<{ account: DemoAccount; person: DemoPerson }> {
  for (const account of await demoAccounts(dataDir))
    for (const person of account.people) if (isWanted(person)) return { account, person }
  throw new Error('the demo has no such person')
}

export type MediaKind = 'call' | 'interview' | 'photo' | 'video' | 'mms' | 'diagnostics'

/**
 * Media of the repository. The voices are those of flite (CMU licence) and espeak-ng; persons, companies and numbers are
 * invented.
 */
export const MEDIA_FOLDER = fileURLToPath(new URL('../media/', import.meta.url))

/** A file that a demo device "records". */
export interface MediaFile {
  title: string
  bytes: number
  /** Seconds; 0 for files without duration. */
  seconds: number
  /** Silences in seconds: [start, end]. */
  pauses: readonly (readonly [number, number])[]
  open(): AsyncIterable<Uint8Array>
  attachment(): Promise<{ name: string; content_type: string; data: string }>
}

export interface Media {
  /** A file of this kind, in the language if available; rotates through all. */
  pick(kind: MediaKind, locale: DemoPerson['locale'], turn: number): MediaFile
}

/** An entry of `manifest.json`. */
interface ManifestEntry {
  file: string
  kind: string
  language: 'en' | 'pt-BR'
  content_type: string
  title: string
  size: number
  duration?: number
  pauses?: [number, number][]
}

const LANGUAGES = { 'en-GB': 'en', 'pt-BR': 'pt-BR' } as const

export async function openMedia(folder: string): Promise<Media> {
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
    files: ManifestEntry[]
  }
  return {
    pick(kind, locale, turn) {
      const ofKind = files.filter((each) => each.kind === kind)
      const inLanguage = ofKind.filter((each) => each.language === LANGUAGES[locale])
      const list = inLanguage.length > 0 ? inLanguage : ofKind
      const entry = list[turn % list.length]
      if (!entry) throw new Error(`${folder} holds no ${kind}`)
      return mediaFile(join(folder, entry.file), entry)
    },
  }
}

/** A local file as a recording of `seconds`. */
export async function recordedFile({
  path,
  title,
  seconds,
}: {
  path: string
  title: string
  seconds: number
}): Promise<MediaFile> {
  const { size } = await stat(path)
  return mediaFile(path, { title, size, content_type: 'application/octet-stream', duration: seconds })
}

function mediaFile(
  path: string,
  {
    title,
    size,
    content_type,
    duration = 0,
    pauses = [],
  }: Pick<ManifestEntry, 'title' | 'size' | 'content_type' | 'duration' | 'pauses'>,
): MediaFile {
  return {
    title,
    bytes: size,
    seconds: Math.max(duration === 0 ? 0 : 1, Math.round(duration)),
    pauses,
    open: () => createReadStream(path),
    attachment: async () => ({
      name: basename(path),
      content_type,
      data: (await readFile(path)).toString('base64'),
    }),
  }
}
