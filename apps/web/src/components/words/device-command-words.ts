import type { CommandName, CommandState, DeviceCommand } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Device commands. */
export const COMMAND_WORDS: Words<CommandName> = {
  sync_data: msg`Hand over everything now`,
  diagnostics_upload: msg`Send diagnostics`,
  reupload_sms_messages: msg`Send messages again`,
  sms_auto_response: msg`Answer text messages by itself`,
  send_verification_sms: msg`Prove its number`,
  remove_device_admin: msg`Give up control of the device`,
  allow_factory_reset: msg`Allow a factory reset`,
  allow_power_off: msg`Allow to be switched off`,
  allow_uninstall: msg`Allow the app to be removed`,
}

/** Effect of each command. */
export const COMMAND_EFFECTS: Words<CommandName> = {
  sync_data: msg`The phone hands over all that it has queued, and reports when its queue is empty.`,
  diagnostics_upload: msg`The phone records a diagnosis of itself, which then stands among its recordings.`,
  reupload_sms_messages: msg`The phone hands over the messages that it still has, under new references.`,
  sms_auto_response: msg`From then on the phone answers text messages with this text. Left empty, it answers no longer.`,
  send_verification_sms: msg`The phone sends a code to the message gateway, which proves the number it has.`,
  remove_device_admin: msg`The recorder gives up its rights as administrator: it can then be stopped or removed.`,
  allow_factory_reset: msg`The next factory reset goes through. What the phone still has not handed over is lost with it.`,
  allow_power_off: msg`The phone can be switched off once. While it is off, nothing is recorded.`,
  allow_uninstall: msg`The recorder can be removed. Afterwards this phone records nothing any more.`,
}

export const COMMAND_STATE_WORDS: Words<CommandState> = {
  Sent: msg({ context: 'command', message: 'Sent' }),
  Acknowledged: msg({ context: 'command', message: 'Acknowledged' }),
  Completed: msg({ context: 'command', message: 'Completed' }),
  Failed: msg({ context: 'command', message: 'Failed' }),
}

export const COMMAND_FAILURE_WORDS: Words<NonNullable<DeviceCommand['failure']>> = {
  reported: msg`The phone could not do it.`,
  no_answer: msg`The phone did not answer for thirty days.`,
}
