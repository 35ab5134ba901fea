/** Id of the command menu's field; keys typed before it loads go to it. */
export const COMMAND_FIELD = 'command-field'
