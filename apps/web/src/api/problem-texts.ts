/** Texts of problems and faults in every language, in a separate file that loads with the first problem. */
export { PROBLEMS } from '@custodia/contract'
export { textOfFault } from './fault-texts.ts'
