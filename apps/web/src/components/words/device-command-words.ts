import type { CommandName, CommandState, DeviceCommand } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

export const COMMAND_WORDS: Words<CommandName> = {
  sync_data: msg`Upload everything now`,
  diagnostics_upload: msg`Send diagnostics`,
  reupload_sms_messages: msg`Send messages again`,
  sms_auto_response: msg`Reply to text messages automatically`,
  send_verification_sms: msg`Verify its number`,
  remove_device_admin: msg`Release control of the device`,
  allow_factory_reset: msg`Allow a factory reset`,
  allow_power_off: msg`Allow switching off`,
  allow_uninstall: msg`Allow removal of the app`,
}

export const COMMAND_EFFECTS: Words<CommandName> = {
  sync_data: msg`The phone uploads its whole queue and reports when it is empty.`,
  diagnostics_upload: msg`The phone records a diagnosis and uploads it like a recording.`,
  reupload_sms_messages: msg`The phone uploads its messages again, under new references.`,
  sms_auto_response: msg`The phone replies to text messages with this text. Leave it empty to stop replies.`,
  send_verification_sms: msg`The phone sends a code to the message gateway, which verifies its number.`,
  remove_device_admin: msg`The recorder gives up its administrator rights: it can then be stopped or removed.`,
  allow_factory_reset: msg`The phone accepts the next factory reset. Recordings not uploaded yet are lost.`,
  allow_power_off: msg`The phone can be switched off once. It records nothing while off.`,
  allow_uninstall: msg`The recorder can be removed. This phone then records nothing.`,
}

export const COMMAND_STATE_WORDS: Words<CommandState> = {
  Sent: msg({ context: 'command', message: 'Sent' }),
  Acknowledged: msg({ context: 'command', message: 'Acknowledged' }),
  Completed: msg({ context: 'command', message: 'Completed' }),
  Failed: msg({ context: 'command', message: 'Failed' }),
}

export const COMMAND_FAILURE_WORDS: Words<NonNullable<DeviceCommand['failure']>> = {
  reported: msg`The phone could not run the command.`,
  no_answer: msg`The phone did not respond within 30 days.`,
}
