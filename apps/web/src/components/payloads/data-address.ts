import type { DataStatus } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { openExternal } from '../../api/open-external.ts'
import { takeReason } from '../../api/reasons.ts'

/** The server answered, but with another data status than Ok (spec section 4). */
export class DataRefusal extends Error {
  readonly status: DataStatus

  constructor(status: DataStatus) {
    super(status)
    this.name = 'DataRefusal'
    this.status = status
  }
}

/**
 * Asks for an address of a payload's data. It lives at most a minute, and asking is an audited act: call it on the
 * reader's wish only.
 *
 * @param part attachment of a message, counted from 0; absent: the whole
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
 * Asks for the originals of several payloads as one archive and lets the browser save it. Resolves to what is refused, and what is in it; to undefined
 * when the reader was asked for a reason and thought better of it.
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

/** Asks for the original bytes and lets the browser save them, unless the reader is asked for a reason and thinks better of it. Throws as `askDataAddress`. */
export async function downloadData(payload_reference: string, part?: number | 'text'): Promise<void> {
  const why = await takeReason()
  if (why === undefined) return
  saveData(await askDataAddress(payload_reference, 'download', part, why))
}

/** Lets the browser save what is at an address of data. */
export function saveData(s3_url: string): void {
  const address = new URL(s3_url, location.origin)
  // Which host keeps the data is the server's word; everything but http(s) is refused here.
  openExternal(address.href, [location.origin, address.origin], save)
}

function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
