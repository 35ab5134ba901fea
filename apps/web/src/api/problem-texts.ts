/** What problems are called in every language: a file of its own, which comes with the first of them. */
export { PROBLEMS } from '@custodia/contract'
