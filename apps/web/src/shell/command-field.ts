/** Id of the command menu's field at its nth opening; keys typed before it loads go to it. */
export const commandField = (opening: number): string => `command-field-${opening}`
