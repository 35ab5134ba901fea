import type { KeyContext } from './port.ts'

/** Context of the wrapped data key of a payload's objects. */
export const dekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'dek',
  reference: payload_reference,
})

/** Context of the key that seals a data key as its device wrapped it. */
export const deviceDekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'device_dek',
  reference: payload_reference,
})

/** Context of a client's wrapped account key, which its devices share with the server. */
export const accountKeyContext = (client: string): KeyContext => ({
  client,
  purpose: 'account_key',
  reference: client,
})

/** Context of a client's wrapped secret at its own identity provider. */
export const oidcSecretContext = (client: string): KeyContext => ({
  client,
  purpose: 'oidc_client_secret',
  reference: client,
})

/** Context of the wrapped key of a comment, which seals all its versions. */
export const commentKeyContext = (client: string, comment_id: string): KeyContext => ({
  client,
  purpose: 'comment',
  reference: comment_id,
})

/** Context of the wrapped key of a mark, which seals its note and result. */
export const markKeyContext = (client: string, mark_id: string): KeyContext => ({
  client,
  purpose: 'mark',
  reference: mark_id,
})

/** The context of the wrapped key of a reason to place or release a legal hold. */
export const holdReasonKeyContext = (client: string, reason_id: string): KeyContext => ({
  client,
  purpose: 'hold_reason',
  reference: reason_id,
})

/** Context of the wrapped secret that signs an account's webhooks. */
export const webhookSecretContext = (client: string, webhook_reference: string): KeyContext => ({
  client,
  purpose: 'webhook',
  reference: webhook_reference,
})

/** Context of the wrapped key of a transfer config, which seals its secrets. */
export const transferConfigContext = (client: string, transfer_config_reference: string): KeyContext => ({
  client,
  purpose: 'transfer_config',
  reference: transfer_config_reference,
})

/** Context of the wrapped key of a device's positions of one day (days since 1970-01-01, UTC). */
export const gpsKeyContext = (client: string, device_reference: string, day: number): KeyContext => ({
  client,
  purpose: 'gps',
  reference: `${device_reference}/${day}`,
})

/** Context of the wrapped key of a device's reports of one call. */
export const reportKeyContext = (client: string, device_reference: string): KeyContext => ({
  client,
  purpose: 'report',
  reference: device_reference,
})

/** Context of the wrapped key of a client's word index. */
export const wordKeyContext = (client: string): KeyContext => ({
  client,
  purpose: 'words',
  reference: client,
})
