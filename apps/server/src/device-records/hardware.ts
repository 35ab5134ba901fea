import type { AuthenticateRequest } from '@custodia/contract'

/** Hardware numbers of a device, in lookup order. */
export interface Hardware {
  serial_number: string | null
  imeis: string[]
  installation_id: string | null
}

/**
 * Hardware numbers of a request. Ignores the placeholders of Android (`unknown`) and of emulators (zeros), which many
 * devices share.
 */
export function getHardware(
  request: Pick<AuthenticateRequest, 'serial_number' | 'imeis' | 'installation_id'>,
): Hardware {
  return {
    serial_number: realNumber(request.serial_number),
    imeis: request.imeis.filter((imei) => realNumber(imei) !== null),
    installation_id: realNumber(request.installation_id),
  }
}

function realNumber(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? ''
  return /^(?:|unknown|null|n\/a|0+)$/i.test(trimmed) ? null : trimmed
}
