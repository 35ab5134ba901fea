import type { DataStatus } from '@custodia/contract'
import { api } from '../../api/api.ts'
import { openExternal } from '../../api/open-external.ts'

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
): Promise<string> {
  const answer = await api.readPayloadData({
    params: { payload_reference },
    query: { action, ...(part === undefined ? {} : { part: String(part) }) },
  })
  if (answer.status !== 'Ok' || answer.s3_url === undefined) throw new DataRefusal(answer.status)
  return answer.s3_url
}

/** Asks for the original bytes and lets the browser save them. Throws as `askDataAddress`. */
export async function downloadData(payload_reference: string, part?: number | 'text'): Promise<void> {
  const address = new URL(await askDataAddress(payload_reference, 'download', part), location.origin)
  // Which host keeps the data is the server's word; everything but http(s) is refused here.
  openExternal(address.href, [location.origin, address.origin], save)
}

function save(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
