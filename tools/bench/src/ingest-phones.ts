import { createHash, randomBytes, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import {
  associatedData,
  metaKind,
  newDek,
  newDeviceKey,
  seal,
  sealMeta,
  sealUlid,
  signAuthentication,
  wrapDek,
} from '@custodia/envelope'
import { ulid } from 'ulid'

/** A message as a phone holds it once it is sealed. */
export interface SealedMessage {
  announcement: { payload_reference: string } & Record<string, unknown>
  sealed: Buffer
}

export interface BenchPhone {
  agent: Agent
  port: number
  headers: Record<string, string>
  key: { key_id: string; kek: string; client: string }
}

interface Enrolment {
  account_reference: string
  enrolment: string
  people: { phone_number: string }[]
}

/** Enrols so many phones, of the demo's clients by turns. */
export async function enrol(dataDir: string, port: number, count: number): Promise<BenchPhone[]> {
  const file = join(dataDir, 'demo', 'enrolments.json')
  const enrolments = JSON.parse(readFileSync(file, 'utf8')) as Enrolment[]
  const phones: BenchPhone[] = []
  for (let i = 0; i < count; i++) {
    const account = enrolments[i % enrolments.length]
    if (!account) throw new Error('the demo has no clients')
    phones.push(await signIn(account, port))
  }
  // Signing in all devices takes longer than the server's idle timeout.
  for (const { agent } of phones) agent.destroy()
  return phones
}

async function signIn({ account_reference, enrolment }: Enrolment, port: number): Promise<BenchPhone> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const phone = { agent, port, headers: {} }
  const { device_key, private_key } = newDeviceKey()
  const secret = Buffer.from(enrolment.split('.')[1] ?? '', 'base64url')
  const stated = {
    account_reference,
    enrolment,
    ulid_encrypted: sealUlid(secret, account_reference, ulid()),
    model: 'Pretend 1',
    os_version: '15',
    app_version: '1.0.0',
    installation_id: randomBytes(6).toString('hex'),
    serial_number: randomBytes(6).toString('hex'),
    phone_numbers: [`+44${randomInt(10 ** 9, 10 ** 10)}`],
    imeis: [],
  }
  const session = await call<{ access_token: string }>(phone, 'authenticate', {
    ...stated,
    device_key,
    signature: signAuthentication(private_key, stated),
  })
  const headers = { authorization: `Bearer ${session.access_token}` }
  return { agent, port, headers, key: await call({ ...phone, headers }, 'key') }
}

/** A reference in the devices' format. */
export const newReference = (): string => ulid()

/** Seals a text message of a thousand characters, as a phone does, or the bytes of a `video`. */
export async function sealMessage(
  { key }: BenchPhone,
  { video }: { video?: Buffer } = {},
): Promise<SealedMessage> {
  const payload_reference = newReference()
  const payload_time = Math.floor(Date.now() / 1000)
  const ids = { client: key.client, payload_reference }
  const dek = newDek()
  const document = video ?? Buffer.from(JSON.stringify({ text: 'Sell at best. '.repeat(72) }))
  const chunks: Buffer[] = []
  for await (const chunk of seal(dek, associatedData({ ...ids, kind: 'original' }), one(document)))
    chunks.push(chunk)
  const sealed = Buffer.concat(chunks)
  const meta = {
    ...(video ? VIDEO_META : META),
    local_time: new Date(payload_time * 1000).toISOString().slice(0, 19),
  }
  const payload_type = video ? 'Video' : 'SMS'
  const announcement = {
    payload_reference,
    payload_type,
    payload_time,
    key_id: key.key_id,
    encrypted_dek: wrapDek(key.kek, dek),
    ...sealMeta(dek, { ...ids, kind: metaKind(payload_type) }, { ...meta, payload_reference, payload_time }),
    checksum: createHash('sha256').update(sealed).digest('hex'),
    size: sealed.length,
  }
  return { announcement, sealed }
}

async function* one(bytes: Buffer) {
  yield bytes
}

const VIDEO_META = { timezone: 'Europe/London', timezone_offset: 0, payload_notes: 'long' }

const META = {
  timezone: 'Europe/London',
  timezone_offset: 0,
  payload_carrier_metadata: [{ phone_number: '+447700900001', slot_index: 0 }],
  thread_id: '7',
  direction: 'I',
  length: 1008,
  message_parties: [{ phone_number: '+447700900002' }],
}

/** Announces a message and uploads it; resolves once the server has acknowledged the bytes. */
export async function deliver(phone: BenchPhone, { announcement, sealed }: SealedMessage): Promise<void> {
  const { payloads } = await call<{ payloads: { status: string; upload_url?: string; problem?: string }[] }>(
    phone,
    'payloads',
    { payloads: [announcement] },
  )
  const url = payloads[0]?.upload_url
  if (url === undefined) throw new Error(`not taken: ${JSON.stringify(payloads)}`)
  await send(phone, 'PUT', new URL(url).pathname, sealed)
}

async function call<T>(phone: Omit<BenchPhone, 'key'>, path: string, body?: object): Promise<T> {
  const bytes = body && Buffer.from(JSON.stringify(body))
  return JSON.parse((await send(phone, bytes ? 'POST' : 'GET', `/device/v1/${path}`, bytes)).toString()) as T
}

/** One request. Throws on any status but 200. */
export function send(
  phone: Pick<BenchPhone, 'agent' | 'port' | 'headers'>,
  method: string,
  path: string,
  body?: Buffer,
): Promise<Buffer> {
  const { agent, port, headers } = phone
  const type = path.startsWith('/device') ? 'application/json' : 'application/octet-stream'
  const more = body ? { 'content-type': type, 'content-length': body.length } : {}
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...more } }
    const asked = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const answer = Buffer.concat(chunks)
        if (response.statusCode === 200) resolve(answer)
        else reject(new Error(`${response.statusCode}: ${answer.toString().slice(0, 500)}`))
      })
    })
    // The server may have closed a kept connection at the very moment in which it was used again.
    asked.on('error', (error) =>
      asked.reusedSocket ? send(phone, method, path, body).then(resolve, reject) : reject(error),
    )
    asked.end(body)
  })
}
