/** A small server that speaks the phones' part of the contract over real HTTP, and misbehaves on demand. */
import { createHash, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Announcement,
  deviceEndpoints,
  type DevicePayloadState,
  type LogEntry,
  logUploadEndpoints,
} from '@custodia/contract'
import {
  associatedData,
  metaKind,
  newKeyPair,
  openMeta,
  openSequential,
  openUlid,
  unwrapDek,
} from '@custodia/envelope'

export const accountKey = Buffer.alloc(32, 7)
const CLIENT = 'acme'

interface ReceivedPayload {
  announcement: Announcement
  status: DevicePayloadState
  reason?: 'tampered_data'
  bytes?: Buffer
  uploads: number
}

export interface PretendServer {
  url: string
  received: Map<string, ReceivedPayload>
  /** Logs by their ids, in the order in which they came first. */
  logs: Map<string, LogEntry>
  /** Requests by name of their row. */
  calls: Record<string, number>
  /** Called before a request is served; returns a status to answer with instead, or 0 to cut the connection. */
  hinder: (row: string, body: Buffer, path: string) => number | undefined
  /** What becomes of uploaded payloads. */
  verdict: (received: ReceivedPayload) => DevicePayloadState
  /** Whether it asks for the data of failed payloads again. */
  takesAgain: boolean
  /** Forgets all access tokens. */
  forgetTokens(): void
  open(payload_reference: string): Promise<{ meta: unknown; data: Buffer }>
  close(): Promise<void>
}

export async function pretendServer(): Promise<PretendServer> {
  const { publicKeyPem, privateKey } = await newKeyPair()
  const ulids = new Set<string>()
  let tokens = new Set<string>()
  const http = createServer((request, response) => {
    void serve(request, response)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server: PretendServer = {
    url,
    received: new Map(),
    logs: new Map(),
    calls: {},
    hinder: () => undefined,
    verdict: () => 'processed',
    takesAgain: true,
    forgetTokens: () => {
      tokens = new Set()
    },
    open: (reference) => openReceived(privateKey, server.received.get(reference)),
    async close() {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const row = getRow(request.method ?? '', path)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    server.calls[row] = (server.calls[row] ?? 0) + 1
    const hindered = server.hinder(row, body, path)
    if (hindered === 0) return void request.socket.destroy()
    const problem = (status: number, code: string) =>
      send(response, status, { error_code: status, message: code, code, request_id: 'r' })
    if (hindered) return problem(hindered, 'unavailable')
    if (row === 'uploadPayload') return receive(request, body, path, response, problem)
    if (row === 'authenticateDevice') return authenticate(body, response, problem)
    if (!tokens.has(request.headers.authorization ?? ''))
      return problem(401, 'device_authentication_required')
    if (row === 'readDeviceKey')
      return send(response, 200, { key_id: 'k1', kek: publicKeyPem, client: CLIENT })
    if (row === 'announcePayloads') {
      const parsed = deviceEndpoints.announcePayloads.body.safeParse(JSON.parse(body.toString()))
      if (!parsed.success) return problem(400, 'invalid_input')
      return send(response, 200, { payloads: parsed.data.payloads.map(announce) })
    }
    if (row === 'uploadLogs') {
      const parsed = logUploadEndpoints.uploadLogs.body.safeParse(JSON.parse(body.toString()))
      if (!parsed.success) return problem(400, 'invalid_input')
      for (const log of parsed.data.logs) if (!server.logs.has(log.log_id)) server.logs.set(log.log_id, log)
      return send(response, 200, {
        logs: parsed.data.logs.map(({ log_id }) => ({ log_id, status: 'stored' })),
      })
    }
    const parsed = deviceEndpoints.readPayloadStatus.body.parse(JSON.parse(body.toString()))
    const payloads = parsed.payload_references.map((payload_reference) => {
      const known = server.received.get(payload_reference)
      return { payload_reference, status: known?.status ?? 'not_found', reason: known?.reason }
    })
    send(response, 200, { payloads })
  }

  function authenticate(body: Buffer, response: ServerResponse, problem: Problem): void {
    const input = deviceEndpoints.authenticateDevice.body.parse(JSON.parse(body.toString()))
    const ulid = openUlid(accountKey, input.account_reference, input.ulid_encrypted)
    if (ulids.has(ulid)) return problem(401, 'device_authentication_required')
    ulids.add(ulid)
    tokens.add(`Bearer t-${ulid}`)
    send(response, 200, {
      access_token: `t-${ulid}`,
      expires_in: 3600,
      client_portal_url: url,
      enabled_services: ['calls'],
      account_reference: input.account_reference,
      device_reference: 'd1',
      install_state: 'NewInstall',
    })
  }

  function announce(announcement: Announcement) {
    const { payload_reference, checksum } = announcement
    const known = server.received.get(payload_reference)
    if (known && known.announcement.checksum !== checksum) {
      return { payload_reference, status: known.status, problem: 'payload_conflict' }
    }
    const entry: ReceivedPayload = known ?? { announcement, status: 'pending', uploads: 0 }
    server.received.set(payload_reference, entry)
    if (!known && !checksum) {
      // Metadata alone is checked a moment later.
      entry.status = server.verdict(entry)
      return { payload_reference, status: 'pending' }
    }
    const missing = checksum && (!entry.bytes || (entry.status === 'failed' && server.takesAgain))
    return {
      payload_reference,
      status: entry.status,
      ...(missing
        ? {
            upload_url: `${url}/device/v1/uploads/${payload_reference}`,
            upload_headers: { 'x-amz-meta-a': 'b' },
          }
        : {}),
    }
  }

  function receive(
    request: IncomingMessage,
    body: Buffer,
    path: string,
    response: ServerResponse,
    problem: Problem,
  ) {
    const entry = server.received.get(path.split('/').at(-1) ?? '')
    if (!entry || request.headers['x-amz-meta-a'] !== 'b') return problem(403, 'address_expired')
    if (request.headers['content-length'] !== String(entry.announcement.size))
      return problem(400, 'wrong_size')
    const checksum = createHash('sha256').update(body).digest('hex')
    if (checksum !== entry.announcement.checksum) return problem(400, 'wrong_checksum')
    entry.uploads += 1
    entry.bytes = body
    entry.status = server.verdict(entry)
    if (entry.status === 'failed' && server.takesAgain) entry.reason = 'tampered_data'
    else delete entry.reason
    send(response, 200, { status: 'pending' })
  }
  return server
}

type Problem = (status: number, code: string) => void

function getRow(method: string, path: string): string {
  if (path.startsWith('/device/v1/uploads/')) return 'uploadPayload'
  const found = Object.entries({ ...deviceEndpoints, ...logUploadEndpoints }).find(
    ([, row]) => row.method === method && path === `/device/v1/${row.path}`,
  )
  return found?.[0] ?? 'unknown'
}

/** Seconds that a caller who comes too often is asked to wait. */
export const WAIT_SECONDS = 7

function send(response: ServerResponse, status: number, body: unknown): void {
  const wait = status === 429 ? { 'retry-after': String(WAIT_SECONDS) } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...wait }).end(JSON.stringify(body))
}

async function openReceived(privateKey: KeyObject, received: ReceivedPayload | undefined) {
  if (!received) throw new Error('never announced')
  const { payload_reference, payload_type, encrypted_dek, iv, meta } = received.announcement
  const dek = await unwrapDek(privateKey, encrypted_dek)
  const ids = { client: CLIENT, payload_reference }
  const aad = associatedData({ ...ids, kind: 'original' })
  const plaintext: Buffer[] = []
  if (received.bytes) {
    for await (const chunk of openSequential(dek, aad, new Blob([new Uint8Array(received.bytes)]).stream())) {
      plaintext.push(Buffer.from(chunk))
    }
  }
  return {
    meta: openMeta(dek, { ...ids, kind: metaKind(payload_type) }, iv, meta),
    data: Buffer.concat(plaintext),
  }
}

/** The log of that number: its id and its message tell it. */
export const getLog = (n: number): LogEntry => ({
  log_id: `1793968200123-${String(n).padStart(20, '0')}`,
  log_class: 'Uploader',
  log_level: 'INFO',
  log_datetime: 1_793_968_200 + n,
  local_timezone: 'Europe/London',
  log_message: `Log ${n}`,
})
