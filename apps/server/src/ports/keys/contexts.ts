import type { KeyContext } from './port.ts'

/** What the wrapped data key of a payload's objects is bound to. */
export const dekContext = (client: string, payload_reference: string): KeyContext => ({
  client,
  purpose: 'dek',
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
