/** Words of texts: index, search and highlighting. The portal loads it too. */
export * from './search-words.ts'
export * from './search-words.ts'
export { indexWords, WORD_RULES } from './search-words.ts'
