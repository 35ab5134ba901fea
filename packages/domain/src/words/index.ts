/** Words of texts: how they are indexed, sought and shown. The portal loads it too. */
export * from './marks.ts'
export * from './search-words.ts'
export { indexWords, WORD_RULES } from './words.ts'
