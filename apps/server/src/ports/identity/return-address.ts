import { SIGN_IN_PATH } from '@custodia/contract'

/** The redirect address of a provider: the portal, or a program on the browser's machine. */
export function returnAddress(publicUrl: string, local_port?: number): string {
  return local_port === undefined ? `${publicUrl}${SIGN_IN_PATH}` : `http://127.0.0.1:${local_port}/`
}

/** Whether `address` is exactly one of those. */
export function isReturnAddress(address: string, publicUrl: string): boolean {
  if (address === returnAddress(publicUrl)) return true
  const port = Number(/^http:\/\/127\.0\.0\.1:([1-9]\d{3,4})\/$/.exec(address)?.[1] ?? 0)
  return port >= 1024 && port <= 65_535
}
