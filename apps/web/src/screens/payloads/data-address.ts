import type { DataStatus } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { openExternal } from '../../api/navigate.ts'
import { takeReason } from '../../api/reasons.ts'

/** The server answered with a data status other than Ok (spec section 4). */
export class DataRefusal extends Error {
  readonly status: DataStatus

  constructor(status: DataStatus) {
    super(status)
    this.name = 'DataRefusal'
    this.status = status
  }
}

/**
 * Requests a URL for a payload's data, valid for a minute. The request is audited: call it on the user's action only.
 * @param part attachment of a message, from 0; absent: the whole
 * @throws DataRefusal when the status is not Ok, ApiProblem when the call fails
 */
export async function askDataAddress(
  payload_reference: string,
  action: 'play' | 'download',
  part?: number | 'text',
  why: { reason?: string } = {},
): Promise<string> {
  const answer = await api.readPayloadData({
    params: { payload_reference },
    query: { action, ...why, ...(part === undefined ? {} : { part: String(part) }) },
  })
  if (answer.status !== 'Ok' || answer.s3_url === undefined) throw new DataRefusal(answer.status)
  return answer.s3_url
}

/**
 * Downloads originals of several payloads as one archive. Resolves to refused payloads and the contents; to undefined
 * when the user cancels the reason dialog.
 */
export async function downloadArchive(
  payload_references: string[],
): Promise<{ payload_reference: string; status: DataStatus }[] | undefined> {
  const why = await takeReason()
  if (why === undefined) return undefined
  const { data, s3_url } = await api.readDataArchive({ query: { payload_references, ...why } })
  if (s3_url !== undefined) saveData(s3_url)
  return data
}

/** Downloads the original unless the user cancels the reason dialog. Throws as `askDataAddress`. */
export async function downloadData(payload_reference: string, part?: number | 'text'): Promise<void> {
  const why = await takeReason()
  if (why === undefined) return
  saveData(await askDataAddress(payload_reference, 'download', part, why))
}

/** Starts a download of a data URL. */
export function saveData(s3_url: string): void {
  const address = new URL(s3_url, location.origin)
  // The server names the data host; only http(s) is accepted here.
  openExternal(address.href, [location.origin, address.origin], save)
}

function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
