import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Reasons for denied or failed calls of another person, by server code. */
export const DENIAL_REASONS: Readonly<Record<string, MessageDescriptor>> = {
  address_expired: msg`Address expired`,
  already_exists: msg`Exists already`,
  authentication_required: msg`Not signed in`,
  breaks_groups: msg`Would break groups`,
  changed_meanwhile: msg`Changed by somebody else meanwhile`,
  cookie_reused: msg`Session ended: its cookie was used twice`,
  device_authentication_required: msg`Device not authenticated`,
  escalation: msg`Would grant more than own rights`,
  in_use: msg`Still in use`,
  internal: msg`Fault of the server`,
  invalid_input: msg`Not valid`,
  locks_out: msg`Would lock themselves out`,
  network_not_permitted: msg`Network not permitted`,
  not_found: msg`Not there or not in reach`,
  not_permitted: msg`Permission missing`,
  provider_refused: msg`Session ended by the identity provider`,
  session_ended: msg`Session ended`,
  sign_in_refused: msg`Sign-in refused`,
  support_mode_ended: msg`Support access ended`,
  terms_required: msg`Terms not accepted`,
  too_many_requests: msg`Too many requests`,
  unavailable: msg`Service unavailable`,
  wrong_state: msg`State does not allow it`,
}
