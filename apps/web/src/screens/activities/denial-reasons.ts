import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Reasons for denied or failed calls of another person, by server code. */
export const DENIAL_REASONS: Readonly<Record<string, MessageDescriptor>> = {
  address_expired: msg`Link expired`,
  already_exists: msg`Exists already`,
  authentication_required: msg`Not signed in`,
  breaks_groups: msg`Groups would become invalid`,
  changed_meanwhile: msg`Changed by another user`,
  cookie_reused: msg`Session ended: cookie used twice`,
  device_authentication_required: msg`Device not authenticated`,
  escalation: msg`Permissions beyond own`,
  in_use: msg`Still in use`,
  internal: msg`Server error`,
  invalid_input: msg`Not valid`,
  locks_out: msg`Would remove own access`,
  last_administrator: msg`No administrator would remain`,
  network_not_permitted: msg`Network not permitted`,
  not_found: msg`Not found or not allowed`,
  not_permitted: msg`Permission missing`,
  provider_refused: msg`The identity provider ended the session`,
  session_ended: msg`Session ended`,
  sign_in_refused: msg`Sign-in refused`,
  support_mode_ended: msg`Support access ended`,
  terms_required: msg`Terms not accepted`,
  too_many_requests: msg`Too many requests`,
  unavailable: msg`Service unavailable`,
  wrong_state: msg`Not allowed in this state`,
}
