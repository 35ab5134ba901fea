import type { AuthenticateRequest } from '@custodia/contract'

/** What identifies a phone, in the order in which it is looked for. */
export interface Hardware {
  serial_number: string | null
  imeis: string[]
  installation_id: string | null
}

/**
 * The identifying numbers of a request. Android gives applications without the privilege `unknown` instead of the serial
 * number, and emulators give zeros: taken at face value they would make one device of a whole fleet.
 */
export function hardwareOf(
  request: Pick<AuthenticateRequest, 'serial_number' | 'imeis' | 'installation_id'>,
): Hardware {
  return {
    serial_number: meaningful(request.serial_number),
    imeis: request.imeis.filter((imei) => meaningful(imei) !== null),
    installation_id: meaningful(request.installation_id),
  }
}

function meaningful(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? ''
  return /^(?:|unknown|null|n\/a|0+)$/i.test(trimmed) ? null : trimmed
}
