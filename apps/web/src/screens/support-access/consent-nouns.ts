const READING = new Set(['list', 'read', 'search', 'history', 'preload', 'review'])
/** Content has a line of its own. */
const CONTENT = new Set(['payloads:play', 'payloads:download'])
/** Every session has them. */
const OWN = new Set(['profile', 'session', 'dashboard'])

/** `devices.numbers` belongs to `devices`; each setting of the account is a noun of its own. */
const getSubject = (noun: string): string =>
  noun.startsWith('account.') ? noun : (noun.split('.')[0] ?? noun)

function getNouns(actions: readonly string[], isWanted: (action: string, verb: string) => boolean): string[] {
  const nouns = actions.flatMap((action) => {
    const [noun = '', verb = ''] = action.split(':')
    return isWanted(action, verb) ? [getSubject(noun)] : []
  })
  return [...new Set(nouns)].filter((noun) => !OWN.has(noun))
}

/** Subjects of actions that read. */
export const readNouns = (actions: readonly string[]): string[] =>
  getNouns(actions, (_action, verb) => READING.has(verb))

/** Subjects of actions that change something. */
export const changedNouns = (actions: readonly string[]): string[] =>
  getNouns(actions, (action, verb) => !READING.has(verb) && !CONTENT.has(action))
