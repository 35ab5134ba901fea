/** Of the field of the command menu: what is typed before the menu is there waits for it. */
export const COMMAND_FIELD = 'command-field'
