import type { KeyContext } from './port.ts'

/** What the wrapped data key of a payload's objects is bound to. */
export const dekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'dek',
  reference: payload_reference,
})

/** What the key is bound to that seals the data key as its phone wrapped it. */
export const phoneDekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'phone_dek',
  reference: payload_reference,
})

/** What a client's wrapped account key, which its phones share with the server, is bound to. */
export const accountKeyContext = (client: string): KeyContext => ({
  client,
  purpose: 'account_key',
  reference: client,
})

/** What the wrapped secret of a client at its own identity provider is bound to. */
export const oidcSecretContext = (client: string): KeyContext => ({
  client,
  purpose: 'oidc_client_secret',
  reference: client,
})

/** What the wrapped key of a comment, under which all of its versions are sealed, is bound to. */
export const commentKeyContext = (client: string, comment_id: string): KeyContext => ({
  client,
  purpose: 'comment',
  reference: comment_id,
})

/** What the wrapped key of a mark, under which its note and its result are sealed, is bound to. */
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

/** What the wrapped secret with which an account's webhook is signed is bound to. */
export const webhookSecretContext = (client: string, webhook_reference: string): KeyContext => ({
  client,
  purpose: 'webhook',
  reference: webhook_reference,
})

/** What the wrapped key of a transfer config, under which its secrets are sealed, is bound to. */
export const transferConfigContext = (client: string, transfer_config_reference: string): KeyContext => ({
  client,
  purpose: 'transfer_config',
  reference: transfer_config_reference,
})

/** What the wrapped key of a phone's positions of one day (days since 1970-01-01, UTC) is bound to. */
export const gpsKeyContext = (client: string, device_reference: string, day: number): KeyContext => ({
  client,
  purpose: 'gps',
  reference: `${device_reference}/${day}`,
})

/** What the wrapped key of reports that a phone handed over in one call is bound to. */
export const reportKeyContext = (client: string, device_reference: string): KeyContext => ({
  client,
  purpose: 'report',
  reference: device_reference,
})

/** What the wrapped key of a client's index of words is bound to. */
export const wordKeyContext = (client: string): KeyContext => ({
  client,
  purpose: 'words',
  reference: client,
})
