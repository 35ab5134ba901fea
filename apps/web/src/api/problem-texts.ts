/** Problem texts of every language, in a separate file that loads with the first problem. */
export { PROBLEMS } from '@custodia/contract'
